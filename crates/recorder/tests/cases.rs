//! Every recorder case gives exactly the records it expects.

use std::io::Read;

use serde_json::Value;
use stepscope_recorder::conform;

const CASES: &[u8] = include_bytes!("../../../fixtures/recorder-cases.tar.gz");

fn cases() -> Vec<(String, String)> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(CASES));
    let mut cases = Vec::new();
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let name = entry.path().expect("a path").to_string_lossy().into_owned();
        if name.ends_with(".json") {
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("UTF-8");
            cases.push((name, text));
        }
    }
    cases
}

#[test]
fn every_case_gives_the_records_it_expects() {
    let cases = cases();
    assert_eq!(cases.len(), 64);
    let mut records = 0;
    for (name, text) in &cases {
        let case: Value = serde_json::from_str(text).expect("a case");
        let expected = case["expected"].as_array().expect("expected records");
        let printed = conform(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let made: Vec<Value> = serde_json::from_str(&printed).expect("a list of records");
        for (place, (made, expected)) in made.iter().zip(expected).enumerate() {
            assert_eq!(made, expected, "{name}, record {place}");
        }
        assert_eq!(made.len(), expected.len(), "{name}: number of records");
        records += made.len();
    }
    assert!(records > 4_000, "{records} records compared");
}

#[test]
fn an_event_that_names_no_output_is_an_error_not_a_panic() {
    let case = r#"{"producer":"p","events":[{"event":"update","step":3,"live":[]}]}"#;
    assert!(conform(case).expect_err("no such step").to_string().contains("event 0 names step 3"));
    assert!(conform("[]").is_err());
}
