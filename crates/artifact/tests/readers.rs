//! What readers take and refuse (`artifact.md` §1–§5, §11).

mod common;

use common::{CONTEXT, IDENTITY, ITERATION, SESSION, file};
use stepscope_artifact::codec::{EncodeError, Encoder, decode};
use stepscope_artifact::read::{LineFault, read_strict, read_tolerant};
use stepscope_artifact::row::{Row, RowFault};

/// How many rows that are no definitions a strict reader takes.
fn rows(text: &str) -> Result<usize, String> {
    let mut rows = 0;
    read_strict(text.as_bytes(), |placed| rows += usize::from(!matches!(placed.row, Row::Definition(_))))
        .map(|_| rows)
        .map_err(|problem| problem.to_string())
}

/// The §5 example with one piece replaced.
fn edited(from: &str, to: &str) -> String {
    assert!(ITERATION.contains(from), "{from}");
    ITERATION.replacen(from, to, 1)
}

fn definition(id: &str) -> String {
    format!(r#"{{"schema_version":4,"event_type":"infer.context","context_id":"{id}","context":{CONTEXT}}}"#)
}

fn referring(id: &str) -> String {
    let context = format!("\"context\":{CONTEXT},");
    edited(&context, &format!("\"context_id\":\"{id}\","))
        .replace("\"schema_version\":2", "\"schema_version\":4")
}

/// §4, the table.
#[test]
fn definitions_and_references() {
    let definition_a = definition("a");
    let record = referring("a");
    let other = definition_a.replace("\"run1\"", "\"run2\"");
    assert_eq!(rows(&file(&[&definition_a, &record])), Ok(1));
    assert!(rows(&file(&[&record, &definition_a])).is_err_and(|what| what == "line 1: unknown context id a"));
    assert_eq!(rows(&file(&[&definition_a, &definition_a, &record])), Ok(1));
    assert!(rows(&file(&[&definition_a, &other])).is_err_and(|what| what.contains("defined twice")));
    let fifth = definition_a.replace("\"schema_version\"", "\"metadata\":{},\"schema_version\"");
    assert!(rows(&fifth).is_err());
    for version in ["2", "4.0", "3", "1", "\"4\""] {
        let text = definition_a.replace("\"schema_version\":4", &format!("\"schema_version\":{version}"));
        assert!(rows(&text).is_err(), "{version}");
    }
    let two_with_id = edited("\"event_id\"", "\"context_id\":\"a\",\"event_id\"");
    assert!(rows(&file(&[&definition_a, &two_with_id])).is_err());
    let four_with_context = record.replace("\"event_id\"", "\"context\":null,\"event_id\"");
    assert!(rows(&file(&[&definition_a, &four_with_context])).is_err());
    assert!(rows(r#"{"event_type":"infer.foo","context_id":"a"}"#).is_err());
    // C4: client rows cannot be carried. C2: two ids may define equal contexts.
    let session = r#"{"schema_version":4,"event_type":"infer.session","context_id":"a"}"#;
    assert!(rows(&file(&[&definition_a, session])).is_err());
    assert_eq!(rows(&file(&[&definition_a, &definition("b"), &referring("b")])), Ok(1));
    // An absent field and a null one make the same context.
    let with_null = definition_a.replace("\"run_id\"", "\"pid\":null,\"run_id\"");
    assert_eq!(rows(&file(&[&definition_a, &with_null])), Ok(0));
}

/// §2, V1–V4.
#[test]
fn versions_and_types() {
    for (version, taken) in [
        ("1", true),
        ("2.0", false),
        ("\"2\"", false),
        ("true", false),
        ("null", false),
        ("5", false),
        ("0", false),
    ] {
        let row = format!(r#"{{"schema_version":{version},"event_type":"infer.foo"}}"#);
        assert_eq!(rows(&row).is_ok(), taken, "{version}");
    }
    assert_eq!(rows(r#"{"event_type":"infer.foo"}"#), Ok(1));
    assert!(rows(r#"{"schema_version":2,"event_type":"infer.foo"}"#).is_err());
    for row in [r#"{"event_type":"foo"}"#, "{}", r#"{"event_type":5}"#] {
        assert_eq!(rows(row), Err("line 1: event_type must name an inference event".to_owned()));
    }
    assert!(rows(&edited("\"schema_version\":2", "\"schema_version\":3")).is_err());
    // V3: a canonical name in version 1 has none of its meaning.
    assert_eq!(rows(r#"{"schema_version":1,"event_type":"infer.iteration","start_ns":"soon"}"#), Ok(1));
}

/// §11, the table of the strict reader, and §5.
#[test]
fn fields_of_canonical_records() {
    assert_eq!(rows(ITERATION), Ok(1));
    let metadata = "\"metadata\":{\"state\":\"complete\"}";
    assert_eq!(rows(&edited(&format!(",{metadata}"), "")), Ok(1));
    for wrong in ["null", "[]", "5"] {
        assert!(rows(&edited(metadata, &format!("\"metadata\":{wrong}"))).is_err(), "{wrong}");
    }
    assert_eq!(rows(&edited("\"start_ns\":120,", "")), Ok(1));
    assert!(rows(&edited("\"start_ns\":120", "\"foo\":null")).is_err_and(|what| what.contains("foo")));
    assert!(rows(&edited("\"run_id\"", "\"foo\":1,\"run_id\"")).is_err());
    assert!(rows(&edited("\"id\":\"0\"", "\"id\":\"0\",\"foo\":1")).is_err());
    assert!(rows(&edited("\"id\":\"0\"", "\"id\":0")).is_err());
    assert!(rows(&edited("\"iteration:P:0\"", "\"\"")).is_err_and(|what| what.contains("event_id")));
    for wrong in ["true", "1.0", "-1", "\"1\"", "150"] {
        assert!(rows(&edited("\"start_ns\":120", &format!("\"start_ns\":{wrong}"))).is_err(), "{wrong}");
    }
    assert_eq!(rows(&edited("\"end_ns\":140", "\"end_ns\":1180591620717411303424")), Ok(1));
    assert_eq!(rows(&edited("\"start_ns\":120", "\"start_ns\":null")), Ok(1));
    assert!(rows(&edited(CONTEXT, "null")).is_err());
    for wrong in ["\"host\":\"\"", "\"world_size\":0", "\"pid\":-1", "\"rank\":false"] {
        assert!(rows(&edited("\"run_id\"", &format!("{wrong},\"run_id\""))).is_err(), "{wrong}");
    }
    assert!(rows(&edited("\"clock_kind\":\"monotonic\"", "\"clock_kind\":\"tai\"")).is_err());
    assert!(rows(&edited("\"iteration_ref\":{", "\"batch_ref\":false,\"iteration_ref\":{")).is_err());
    assert_eq!(rows(&edited("\"iteration_ref\":{", "\"batch_ref\":null,\"iteration_ref\":{")), Ok(1));
}

fn record(kind: &str, fields: &str) -> String {
    format!(
        r#"{{"schema_version":2,"event_type":"infer.{kind}","event_id":"e","context":{CONTEXT},{fields}}}"#
    )
}

/// §5, the rules between fields.
#[test]
fn fields_that_depend_on_each_other() {
    let capabilities =
        |rest: &str| rows(&record("capabilities", &format!("\"component\":\"c\",{rest}"))).is_ok();
    assert!(capabilities(
        "\"available\":true,\"supported\":[\"a\",\"b\"],\"enabled\":[\"b\"],\"collected\":[]"
    ));
    assert!(!capabilities("\"available\":true,\"supported\":[\"a\"],\"enabled\":[\"b\"]"));
    assert!(!capabilities("\"available\":true,\"supported\":[\"a\"],\"enabled\":[],\"collected\":[\"a\"]"));
    assert!(!capabilities("\"available\":true,\"supported\":[\"a\",\"a\"]"));
    assert!(!capabilities("\"available\":false,\"supported\":[\"a\"]"));
    assert!(capabilities("\"available\":false"));
    assert!(!capabilities("\"available\":1"));

    let reference = r#"{"producer_id":"P","id":"0"}"#;
    let stage = |rest: &str| {
        rows(&record("stage", &format!("\"stage_ref\":{reference},\"name\":\"n\"{rest}"))).is_ok()
    };
    assert!(!stage(""));
    assert!(!stage(",\"request_ref\":null"));
    assert!(stage(&format!(",\"request_ref\":{reference}")));
    assert!(stage(&format!(",\"iteration_ref\":{reference}")));

    let activity = |version: u8, rest: &str| {
        let fields = format!("\"activity_ref\":{reference},\"activity_kind\":\"kernel\",{rest}");
        rows(&record("activity_ref", &fields).replace("version\":2", &format!("version\":{version}"))).is_ok()
    };
    let linked = format!("\"attribution_status\":\"linked\",\"iteration_ref\":{reference}");
    let unlinked = "\"attribution_status\":\"unresolved\"";
    assert!(activity(2, &linked) && activity(2, unlinked));
    assert!(!activity(2, "\"attribution_status\":\"linked\""));
    assert!(!activity(2, &format!("{unlinked},\"iteration_ref\":{reference}")));
    assert!(!activity(2, &format!("{unlinked},\"activity_domain\":\"tpu\"")));
    let with = |intervals: &str| {
        format!("{unlinked},\"start_ns\":10,\"end_ns\":30,\"metadata\":{{\"intervals\":{intervals}}}")
    };
    assert!(activity(3, &with("[[0,5],[5,15]]")) && !activity(2, &with("[[0,5]]")) && !activity(3, unlinked));
    for wrong in
        ["[]", "[[0,21]]", "[[5,5],[0,2]]", "[[0,5],[4,1]]", "[[0,1,2]]", "[[-1,2]]", "[[0,1.0]]", "null"]
    {
        assert!(!activity(3, &with(wrong)), "{wrong}");
    }

    let alignment = |rest: &str| {
        let fields =
            "\"from_clock_domain\":\"a\",\"to_clock_domain\":\"b\",\"uncertainty_ns\":0,\"offset_ns\":-5";
        rows(&record("clock_alignment", &format!("{fields}{rest}"))).is_ok()
    };
    assert!(
        alignment("")
            && alignment(",\"valid_to_ns\":5")
            && !alignment(",\"valid_from_ns\":6,\"valid_to_ns\":5")
    );
}

/// L1, L2.
#[test]
fn lines_of_a_file() {
    assert_eq!(rows(""), Ok(0));
    assert_eq!(rows(&format!("{SESSION}\r\n\n \t\r{IDENTITY}\r{ITERATION}")), Ok(3));
    assert!(rows(&format!("{SESSION}\n{{\"event_type\"")).is_err_and(|what| what.starts_with("line 2: ")));
    assert_eq!(rows(&format!("\u{feff}{SESSION}")), Err("line 1: a byte-order mark".to_owned()));
    assert_eq!(rows("5"), Err("line 1: record must be an object".to_owned()));
    let bytes = [SESSION.as_bytes(), b"\n\n", b"{\"event_type\":\"infer.\xff\"}\n"].concat();
    let problem = read_strict(&bytes, |_| {}).expect_err("not UTF-8");
    assert_eq!((problem.line, problem.fault), (2, LineFault::Utf8));
    // Of a doubled name the last counts; NaN and the infinities are taken.
    assert_eq!(
        rows(r#"{"schema_version":2,"event_type":"infer.x","schema_version":1,"a":[NaN,-Infinity]}"#),
        Ok(1)
    );
    assert!(rows(&edited("\"start_ns\":120", "\"start_ns\":120,\"start_ns\":-1")).is_err());
}

/// §11: a diagnosis passes over what it cannot use.
#[test]
fn a_tolerant_reader_goes_on() {
    let bytes = [
        b"\xef\xbb\xbf{}\n{\n\n".as_slice(),
        SESSION.as_bytes(),
        b"\r\n\"\xff\"\n5\n",
        edited("\"end_ns\":140", "\"end_ns\":14").as_bytes(),
        b"\n",
        ITERATION.as_bytes(),
    ]
    .concat();
    let mut taken = Vec::new();
    let (contexts, problems) = read_tolerant(&bytes, |placed| taken.push(placed.line));
    assert_eq!(taken, [3, 7]);
    assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [0, 1, 4, 5, 6]);
    assert!(matches!(problems[4].fault, LineFault::Row(RowFault::Record(_))));
    assert_eq!(contexts.iter().count(), 1);
}

/// C5, C6: rows that are encoded and decoded say the same, and contexts are defined once.
#[test]
fn encoding_and_decoding() {
    let mut encoder = Encoder::default();
    let mut encoded = Vec::new();
    let second = edited("iteration:P:0", "iteration:P:1").replace("\"id\":\"0\"", "\"id\":\"1\"");
    for line in [SESSION, ITERATION, &second, IDENTITY] {
        encoder.encode(line.as_bytes(), &mut encoded).expect("embedded");
    }
    let text = String::from_utf8(encoded).expect("ASCII");
    let kinds: Vec<bool> = text.lines().map(|line| line.contains("\"infer.context\"")).collect();
    assert_eq!(kinds, [false, true, false, false, true, false]);
    assert_eq!(text.lines().next(), Some(SESSION));
    let mut decoded = Vec::new();
    read_strict(text.as_bytes(), |placed| {
        if let Row::Record(row) = placed.row {
            let mut line = Vec::new();
            decode(row, placed.contexts, &mut line);
            decoded.push(String::from_utf8(line).expect("ASCII"));
        }
    })
    .expect("what the encoder writes is read");
    let mut again = Encoder::default();
    let mut encoded = Vec::new();
    for line in std::iter::once(SESSION).chain(decoded.iter().map(String::as_str)) {
        again.encode(line.as_bytes(), &mut encoded).expect("embedded");
    }
    assert_eq!(String::from_utf8(encoded).as_deref(), Ok(&text[..]));
    let definition = text.lines().nth(1).expect("a definition");
    assert_eq!(again.encode(definition.as_bytes(), &mut Vec::new()), Err(EncodeError::Transport));
    let record = text.lines().nth(2).expect("a record");
    assert_eq!(again.encode(record.as_bytes(), &mut Vec::new()), Err(EncodeError::Transport));

    // C6: the id a file already uses for a context is used again; C7: one that names another is no id to choose.
    let mut appended = Encoder::default();
    read_strict(definition_of("mine").as_bytes(), |_| {})
        .map(|contexts| appended.contexts = contexts)
        .expect("a definition");
    let mut line = Vec::new();
    appended.encode(ITERATION.as_bytes(), &mut line).expect("embedded");
    assert!(line.starts_with(b"{\"context_id\": \"mine\", "));
    let taken = definition_of("ctx-x").replace("ctx-x", &chosen_id()).replace("\"run1\"", "\"run2\"");
    let mut refused = Encoder::default();
    read_strict(taken.as_bytes(), |_| {}).map(|contexts| refused.contexts = contexts).expect("a definition");
    let mut nothing = Vec::new();
    assert!(matches!(refused.encode(ITERATION.as_bytes(), &mut nothing), Err(EncodeError::ContextId(_))));
    assert!(nothing.is_empty());
}

fn definition_of(id: &str) -> String {
    definition(id) + "\n"
}

/// The id that is chosen for the context of the example.
fn chosen_id() -> String {
    let mut out = Vec::new();
    Encoder::default().encode(ITERATION.as_bytes(), &mut out).expect("embedded");
    let text = String::from_utf8(out).expect("ASCII");
    let at = text.find("ctx-").expect("an id");
    text[at..at + 20].to_owned()
}
