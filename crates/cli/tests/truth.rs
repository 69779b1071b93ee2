//! The real epochs against what their HTTP client saw: every request it saw finish is in the artifact exactly once, and
//! ended there as it ended for the client. Of `killed_torn` and `crashed` no client's record is left.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Name, requests sent, of them seen to finish by `length`, by `stop`, by `abort`.
const EPOCHS: [(&str, usize, [usize; 3]); 6] = [
    ("steady", 256, [244, 12, 0]),
    ("stalls", 406, [388, 18, 0]),
    ("preempt", 149, [149, 0, 0]),
    ("pause_reset", 229, [136, 9, 16]),
    ("spec_ngram", 194, [194, 0, 0]),
    ("multi", 161, [151, 10, 0]),
];

/// How a request ends, in the client's word and as the engine's status.
const CLASSES: [(&str, &str); 3] =
    [("length", "FINISHED_LENGTH_CAPPED"), ("stop", "FINISHED_STOPPED"), ("abort", "FINISHED_ABORTED")];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/epochs")
}

/// What the client saw, a row a request.
fn seen_by_client(name: &str) -> Vec<Value> {
    let file = std::fs::File::open(fixtures().join(format!("truth/{name}.client.jsonl.gz"))).expect("a file");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// One stay of the run's requests in an engine.
#[derive(Debug)]
struct Stay {
    epoch: String,
    admitted_wall_ns: i64,
    /// Status and wall stamp of every end that its memberships carry.
    ends: Vec<(String, i64)>,
}

/// The artifact of the client's run with the log imported: stays by the client's ID, and the summary of the import.
fn imported(name: &str, client: &[Value]) -> (BTreeMap<String, Vec<Stay>>, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let artifact = folder.path().join("run.jsonl");
    let mut rows = vec![json!({
        "schema_version": 2, "event_type": "infer.artifact", "event_id": "artifact", "created_at_ns": 1,
        "artifact_kind": "inference_jsonl", "context": {
            "run_id": "run1", "session_id": "sess1", "producer_id": "client", "source": "client",
            "clock_domain": "h/b/unix_epoch_ns", "clock_kind": "wall", "collection_mode": "active",
            "provenance": "observed",
        },
    })];
    rows.extend(client.iter().map(|request| {
        let id = &request["x_request_id"];
        json!({"event_type": "infer.dispatch", "session_id": "sess1", "x_request_id": id, "request_id": id})
    }));
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    std::fs::write(&artifact, text).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_stepscope"))
        .args(["reduce", &fixtures().join(format!("{name}.tar.gz")).to_string_lossy()])
        .args(["--into", &artifact.to_string_lossy()])
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));

    let text = std::fs::read_to_string(&artifact).expect("an artifact");
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut ends: BTreeMap<(String, String), Vec<(String, i64)>> = BTreeMap::new();
    let mut requests = Vec::new();
    let mut summary = Value::Null;
    let own = |value: &Value| value.as_str().expect("text").to_owned();
    for row in rows {
        let metadata = &row["metadata"];
        let key = || (own(&metadata["epoch"]), own(&row["attempt_ref"]["id"]));
        match row["event_type"].as_str() {
            Some("infer.membership") if metadata.get("finish").is_some() => {
                let finish = &metadata["finish"];
                let end = (own(&finish["status"]), finish["wall_ns"].as_i64().expect("a stamp"));
                ends.entry(key()).or_default().push(end);
            }
            Some("infer.request") => {
                assert_eq!(metadata["ownership"], "run", "{name}: the client sent all of them");
                let admitted = metadata["admitted_wall_ns"].as_i64().expect("a stamp");
                requests.push((own(&row["request_ref"]["id"]), key(), admitted));
            }
            Some("infer.capabilities") if row["component"] == "engine_adapter" => {
                summary = metadata["summary"]["execution"]["epochs"].clone();
            }
            _ => {}
        }
    }
    let mut stays: BTreeMap<String, Vec<Stay>> = BTreeMap::new();
    for (request, key, admitted_wall_ns) in requests {
        let stay =
            Stay { epoch: key.0.clone(), admitted_wall_ns, ends: ends.remove(&key).unwrap_or_default() };
        stays.entry(request).or_default().push(stay);
    }
    assert!(ends.is_empty(), "{name}: ends of requests that are not there: {ends:?}");
    (stays, summary)
}

#[test]
fn every_request_the_client_saw_finish_is_there_once_and_ended_alike() {
    for (name, sent, expected) in EPOCHS {
        let client = seen_by_client(name);
        assert_eq!(client.len(), sent, "{name}");
        let (mut stays, summary) = imported(name, &client);
        let mut classes = [0; 3];
        let mut unfinished = 0;
        for request in &client {
            let id = request["x_request_id"].as_str().expect("text");
            let stamp = |field: &str| request[field].as_i64().expect("a stamp");
            let Some(class) = CLASSES.iter().position(|(word, _)| request["finish_reason"] == *word) else {
                // Not seen to finish. The engine freed it unscheduled, so it is in no step.
                assert!(!stays.contains_key(id), "{name}: {id}");
                unfinished += 1;
                continue;
            };
            // An ID that was sent to several servers has a stay in each: the one of this sending began during it.
            let of_id = stays.get_mut(id).expect("its stays");
            let meanwhile = stamp("sent_wall_ns")..stamp("end_wall_ns");
            let during: Vec<usize> =
                (0..of_id.len()).filter(|&at| meanwhile.contains(&of_id[at].admitted_wall_ns)).collect();
            let [at] = during[..] else { panic!("{name}: {id} is there {} times: {of_id:?}", during.len()) };
            let stay = of_id.swap_remove(at);
            let [(status, ended_wall_ns)] = &stay.ends[..] else { panic!("{name}: {id}: {stay:?}") };
            assert_eq!(status, CLASSES[class].1, "{name}: {id}");
            assert!(stay.admitted_wall_ns <= *ended_wall_ns && *ended_wall_ns <= stamp("end_wall_ns"));
            assert!(stay.epoch.starts_with("engine-"));
            classes[class] += 1;
        }
        assert_eq!(classes, expected, "{name}");
        let left: Vec<&Stay> = stays.values().flatten().collect();
        assert!(left.is_empty(), "{name}: nobody sent these: {left:?}");
        // Who never ran has an end that nothing could take, and those are all.
        let unattached: i64 = summary
            .as_object()
            .expect("epochs")
            .values()
            .filter_map(|s| s["finish_unattached"].as_i64())
            .sum();
        assert_eq!(unattached, unfinished, "{name}");
    }
}
