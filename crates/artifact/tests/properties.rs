//! Properties: readers take any bytes, what is encoded decodes to itself, and imports add up however a log was cut.

mod common;

use common::{
    DISPATCH, EPOCH, How, IDENTITY, PLAIN, SESSION, WINDOW, epoch, file, imported, options, record_lines,
    worked_log,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use stepscope_artifact::codec::{Encoder, decode};
use stepscope_artifact::read::{read_strict, read_tolerant};
use stepscope_artifact::row::Row;
use stepscope_artifact::{Artifact, RunName, consistency, envelope, standalone};
use stepscope_reduce::Rules;

/// Texts as clients and engines write them, and worse.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9:_-]{1,12}", "[\\PC]{1,6}", Just("é😀\u{7f}\"\\\n".to_owned())]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Of other fractions the JSON of this test may lose the last digit.
        any::<i32>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn context() -> impl Strategy<Value = Value> {
    (text(), text(), proptest::option::of(text()), proptest::option::of(0i64..9)).prop_map(
        |(producer, domain, host, pid)| {
            json!({
                "run_id": "run1", "session_id": "sess1", "producer_id": producer, "source": "s", "host": host,
                "pid": pid, "clock_domain": domain, "clock_kind": "monotonic", "collection_mode": "imported",
                "provenance": "observed",
            })
        },
    )
}

fn row() -> impl Strategy<Value = Value> {
    let reference = (text(), text()).prop_map(|(producer, id)| json!({"producer_id": producer, "id": id}));
    let client = (text(), value()).prop_map(|(name, value)| json!({"event_type": "infer.foo", name: value}));
    let record = (context(), text(), reference, any::<u32>(), any::<bool>(), vec((text(), value()), 0..5))
        .prop_map(|(context, event_id, reference, start, is_step, metadata)| {
            let metadata =
                Value::Object(metadata.into_iter().filter(|(name, _)| name != "intervals").collect());
            let mut row = json!({
                "schema_version": 2, "event_id": event_id, "context": context, "metadata": metadata,
                "start_ns": start,
            });
            let (kind, field) =
                if is_step { ("iteration", "iteration_ref") } else { ("request", "request_ref") };
            row["event_type"] = format!("infer.{kind}").into();
            row[field] = reference;
            row
        });
    prop_oneof![1 => client, 3 => record]
}

/// Bytes that look like an artifact for a while.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    (vec(row(), 0..5), vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)).prop_map(|(rows, damage)| {
        let mut bytes: Vec<u8> = rows.iter().flat_map(|row| format!("{row}\n").into_bytes()).collect();
        for (at, byte) in damage {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn readers_take_any_bytes(bytes in prop_oneof![vec(any::<u8>(), 0..300), nearly()]) {
        let mut strict = 0;
        let ended = read_strict(&bytes, |_| strict += 1);
        let mut tolerant = 0;
        let (_, problems) = read_tolerant(&bytes, |_| tolerant += 1);
        // What a strict reader takes whole, a tolerant one takes too, unless a lone CR ends a line.
        if ended.is_ok() && !bytes.contains(&b'\r') {
            prop_assert_eq!((tolerant, problems.len()), (strict, 0));
        }
        let _ = consistency(&bytes);
        let _ = envelope(Some(&bytes), b"run1", b"sess1", &stepscope_artifact::EnvelopeEntry {
            artifact_name: "a", artifact_path: "a",
        });
        if let Ok(artifact) = Artifact::read(&bytes, Rules::Corrected) {
            let _ = artifact.facts(true);
        }
    }

    #[test]
    fn what_is_encoded_decodes_to_itself(rows in vec(row(), 0..6)) {
        let mut encoder = Encoder::default();
        let mut encoded = Vec::new();
        for row in &rows {
            encoder.encode(row.to_string().as_bytes(), &mut encoded).expect("embedded");
        }
        let mut decoded = Vec::new();
        read_strict(&encoded, |placed| match placed.row {
            Row::Definition(_) => {}
            Row::Client(_) => decoded.push(serde_json::from_slice::<Value>(placed.text).expect("JSON")),
            Row::Record(row) => {
                let mut line = Vec::new();
                decode(row, placed.contexts, &mut line);
                assert!(line.is_ascii());
                decoded.push(serde_json::from_slice(&line).expect("JSON"));
            }
        })
        .expect("what the encoder writes is read");
        for (row, decoded) in rows.iter().zip(&decoded) {
            let mut row = row.clone();
            if let (Some(own), Some(full)) = (row.get("context").cloned(), decoded.get("context")) {
                // The decoded context says its nulls.
                for (name, value) in full.as_object().expect("an object") {
                    prop_assert_eq!(own.get(name).unwrap_or(&Value::Null), value);
                }
                row["context"] = full.clone();
            }
            prop_assert_eq!(&row, decoded);
        }
        prop_assert_eq!(rows.len(), decoded.len());
    }

    #[test]
    fn imports_add_up(cuts in vec(1usize..11, 0..4), how in 0usize..3, again in any::<bool>()) {
        let how = [PLAIN, How { raw: true, ..PLAIN }, How { key: false, ..PLAIN }][how];
        let log = worked_log();
        let client = file(&[SESSION, IDENTITY, DISPATCH, WINDOW]);
        let mut cuts = cuts;
        cuts.sort_unstable();
        cuts.push(log.len());
        if again {
            cuts.push(log.len());
        }
        let mut grown = client.clone();
        for cut in cuts {
            let next = imported(&grown, &log[..cut], how).expect("accepted");
            prop_assert!(next.starts_with(&grown));
            grown = next;
        }
        let whole = imported(&client, &log, how).expect("accepted");
        let ids = |file: &str| {
            let mut ids: Vec<String> = record_lines(file)
                .iter()
                .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["event_id"].to_string())
                .collect();
            ids.sort();
            ids
        };
        prop_assert_eq!(ids(&grown), ids(&whole));
        prop_assert_eq!(consistency(grown.as_bytes()), Ok(Vec::new()));
    }

    #[test]
    fn the_same_log_gives_the_same_bytes(cut in 1usize..12) {
        let make = || {
            let epochs = [epoch(EPOCH, &worked_log()[..cut], true, None)];
            let mut bytes = Vec::new();
            standalone(&epochs, &RunName::of(&epochs), &options(), &mut |piece| bytes.extend_from_slice(piece))
                .expect("accepted");
            bytes
        };
        prop_assert_eq!(make(), make());
        prop_assert_eq!(consistency(&make()), Ok(Vec::new()));
    }
}
