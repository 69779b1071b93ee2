//! The run envelope (`artifact.md` §13).

use serde_json::{Value, json};
use stepscope_artifact::{EnvelopeEntry, Refusal, envelope};

fn entry(name: &str) -> EnvelopeEntry<'_> {
    EnvelopeEntry { artifact_name: name, artifact_path: name }
}

fn of(old: Option<&str>, name: &str) -> Result<String, Refusal> {
    let new = envelope(old.map(str::as_bytes), b"run1", b"sess1", &entry(name))?;
    Ok(String::from_utf8(new).expect("ASCII"))
}

fn fresh() -> Value {
    serde_json::from_str(&of(None, "a.jsonl").expect("accepted")).expect("JSON")
}

/// A fresh envelope with one field of it, or of its first session or attachment, replaced.
fn edited(place: &str, field: &str, value: Value) -> Result<String, Refusal> {
    let mut envelope = fresh();
    let row = if place.is_empty() { &mut envelope } else { &mut envelope[place][0] };
    row[field] = value;
    of(Some(&envelope.to_string()), "a.jsonl")
}

#[test]
fn a_missing_envelope_is_created() {
    let expected = r#"{
  "attachments": [
    {
      "attachment_id": "infer-jsonl:sess1:a.jsonl",
      "kind": "inference_jsonl",
      "metadata": {
        "format": "jsonl"
      },
      "path": "a.jsonl",
      "session_id": "sess1",
      "storage": "reference",
      "title": "Inference JSONL"
    }
  ],
  "format": "stormlog.run_envelope",
  "metadata": {},
  "run_id": "run1",
  "schema_version": 1,
  "sessions": [
    {
      "job_id": null,
      "local_rank": 0,
      "metadata": {},
      "rank": 0,
      "role": "inference_capture",
      "session_id": "sess1",
      "world_size": 1
    }
  ]
}
"#;
    let new = of(None, "a.jsonl").expect("accepted");
    assert_eq!(new, expected);
    assert_eq!(of(Some(&new), "a.jsonl").as_deref(), Ok(expected));
    let compact = fresh().to_string();
    assert_eq!(of(Some(&compact), "a.jsonl").as_deref(), Ok(expected));
}

#[test]
fn rows_are_added_when_they_are_not_there() {
    let two: Value =
        serde_json::from_str(&of(Some(&fresh().to_string()), "b.jsonl").expect("accepted")).expect("JSON");
    assert_eq!(two["attachments"].as_array().map(Vec::len), Some(2));
    assert_eq!(two["attachments"][1]["attachment_id"], "infer-jsonl:sess1:b.jsonl");
    assert_eq!(two["sessions"].as_array().map(Vec::len), Some(1));
    let other = edited("sessions", "session_id", json!("other")).expect("accepted");
    let other: Value = serde_json::from_str(&other).expect("JSON");
    assert_eq!(other["sessions"][1]["session_id"], "sess1");
    let mut bare = fresh();
    let fields = bare.as_object_mut().expect("an object");
    fields.remove("sessions");
    fields.remove("attachments");
    assert_eq!(of(Some(&bare.to_string()), "a.jsonl"), of(None, "a.jsonl"));
    // What else it says stays, in the writer's form.
    let kept = edited("", "metadata", json!({"é": [1, {"b": [], "a": {}}]})).expect("accepted");
    assert!(kept.contains(
        "\"\\u00e9\": [\n      1,\n      {\n        \"a\": {},\n        \"b\": []\n      }\n    ]"
    ));
}

#[test]
fn what_does_not_fit_is_refused() {
    let is_refused = |result: Result<String, Refusal>| matches!(result, Err(Refusal::Envelope(_)));
    assert!(is_refused(edited("", "run_id", json!("run2"))));
    assert!(is_refused(edited("attachments", "title", json!("other"))));
    assert!(is_refused(edited("attachments", "job_id", Value::Null)));
    for (place, field, value) in [
        ("", "extra", json!(1)),
        ("", "schema_version", json!(2)),
        ("", "schema_version", json!(1.0)),
        ("", "format", json!("x")),
        ("", "metadata", json!([])),
        ("", "sessions", json!({})),
        ("", "sessions", json!([1])),
        ("", "attachments", json!([{}])),
        ("", "title", json!("")),
        ("", "tags", json!("a")),
        ("", "tags", Value::Null),
        ("", "started_at_ns", json!(-1)),
        ("sessions", "extra", json!(1)),
        ("sessions", "world_size", json!(0)),
        ("sessions", "metadata", Value::Null),
        ("attachments", "storage", json!("link")),
        ("attachments", "url", Value::Null),
        ("attachments", "sha256", json!("x")),
    ] {
        assert!(is_refused(edited(place, field, value.clone())), "{place} {field} {value}");
    }
    for text in ["", "[]", "{", "\u{feff}{}"] {
        assert!(is_refused(of(Some(text), "a.jsonl")), "{text:?}");
    }
    let mut backwards = fresh();
    backwards["started_at_ns"] = json!(5);
    backwards["ended_at_ns"] = json!(3);
    assert!(is_refused(of(Some(&backwards.to_string()), "a.jsonl")));
    for (field, value) in
        [("title", json!("t")), ("description", json!("")), ("tags", json!(["a"])), ("job_id", Value::Null)]
    {
        assert!(edited("", field, value.clone()).is_ok(), "{field} {value}");
    }
}
