//! A process that dies at any call, and a disk that fails at any call: what is left is whole, and no counter claims
//! more than was lost.

use std::path::Path;

use serde_json::Value;
use stepscope_recorder::{Kind, Limits, MemoryFiles, WriterLoop};

use crate::support::{Fault, Faulty, Rig, Text, assert_numbered, at, records_in};

/// Small segments, so that a short history has beats, seals, a flush and a close.
fn limits() -> Limits {
    Limits { segment_bytes: 700, batch: 3, ..Limits::default() }
}

/// Emits 24 records with beats and a flush in between and closes; stops as soon as a call died. The number of records
/// emitted.
fn live(rig: &mut Rig) -> u64 {
    let mut emitted = 0;
    for round in 0..6 {
        for _ in 0..4 {
            rig.emit("text");
            emitted += 1;
        }
        if round == 3 {
            rig.touch("flush");
        }
        rig.epoch.drain();
        rig.beat();
    }
    rig.writer.close();
    rig.epoch.drain();
    emitted
}

fn calls_of_a_whole_life() -> u64 {
    let mut rig = Rig::new(limits());
    live(&mut rig);
    assert_eq!((rig.errors(), rig.dropped()), (0, vec![]));
    rig.files().calls
}

fn text(files: &MemoryFiles, name: &str) -> Option<Value> {
    let bytes = files.read(&at(name))?;
    Some(serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{name} is not whole: {error}")))
}

fn lost(counters: &Value) -> u64 {
    counters["dropped"].as_object().expect("an object").values().filter_map(Value::as_u64).sum()
}

#[test]
fn a_death_at_any_call_leaves_whole_segments_and_honest_counters() {
    let calls = calls_of_a_whole_life();
    assert!(calls > 100, "{calls} calls");
    for dying in 0..calls {
        for left in [0, 1, 60, usize::MAX] {
            let mut files = Faulty::default();
            files.rule =
                Box::new(move |call, _, _| if call == dying { Fault::Die(left) } else { Fault::None });
            let Ok(mut rig) = Rig::create(files, limits()) else { continue };
            live(&mut rig);
            let files = &rig.files().memory;
            // Sealed segments end in a line and every complete line is a record, or this panics.
            let records = records_in(files);
            assert_numbered(&records);
            // A dead writer's own counters are lost with it; what it had written out is all that is left.
            for record in records.iter().filter(|record| record["kind"] == "heartbeat") {
                assert_eq!((lost(record), &record["errors"]), (0, &0.into()), "call {dying}");
            }
            if let Some(status) = text(files, "status.json") {
                assert_eq!((lost(&status), &status["errors"]), (0, &0.into()), "call {dying}");
                let last_seq = status["last_seq"].as_i64().expect("a number");
                assert!(last_seq < records.len() as i64, "call {dying}: the status is ahead of the records");
            }
        }
    }
}

#[test]
fn a_single_failure_at_any_call_is_survived_and_counted() {
    for failing in 0..calls_of_a_whole_life() {
        for fault in [Fault::Fail, Fault::Torn(1), Fault::Torn(60), Fault::Short(0), Fault::Short(60)] {
            let mut files = Faulty::default();
            files.rule = Box::new(move |call, _, _| if call == failing { fault } else { Fault::None });
            let Ok(mut rig) = Rig::create(files, limits()) else { continue };
            let emitted = live(&mut rig);
            let counters = rig.writer.counters();
            let records = rig.records();
            assert_numbered(&records);
            let written = records.iter().filter(|record| record["kind"] == "alias").count() as u64;
            let dropped =
                |name: &str| counters.dropped.iter().find(|(n, _)| *n == name).map_or(0, |(_, n)| *n);
            assert_eq!(written + dropped("alias"), emitted, "call {failing}, {fault:?}");
            assert_eq!(counters.last_seq, records.len() as i64 - 1);
            let bytes: usize = segments(&rig.epoch.files().memory);
            assert_eq!(counters.bytes, bytes as i64, "call {failing}, {fault:?}");
            assert!(counters.errors <= 1 && counters.dropped.iter().all(|(_, count)| *count == 1));
        }
    }
}

fn segments(files: &MemoryFiles) -> usize {
    let paths = files.paths().filter(|path| path.to_string_lossy().contains(".jsonl"));
    paths.filter_map(|path| files.read(path)).map(<[u8]>::len).sum()
}

#[test]
fn two_failures_in_a_row_spoil_at_most_one_line() {
    // A line that is torn and cannot be cut back is fused with the next one (`raw-log.md` W5); nothing else is lost.
    for failing in 0..calls_of_a_whole_life() {
        let mut files = Faulty::default();
        files.rule =
            Box::new(
                move |call, _, _| {
                    if call == failing || call == failing + 1 { Fault::Torn(30) } else { Fault::None }
                },
            );
        let Ok(mut rig) = Rig::create(files, limits()) else { continue };
        let emitted = live(&mut rig);
        let counters = rig.writer.counters();
        let mut whole = 0;
        let mut spoilt = 0;
        for path in rig.epoch.files().memory.paths().filter(|path| path.to_string_lossy().contains(".jsonl"))
        {
            let text = String::from_utf8_lossy(rig_text(&rig.epoch, path)).into_owned();
            for line in text.lines() {
                match serde_json::from_str::<Value>(line) {
                    Ok(record) => whole += u64::from(record["kind"] == "alias"),
                    Err(_) => spoilt += 1,
                }
            }
        }
        let dropped =
            counters.dropped.iter().find(|(name, _)| *name == "alias").map_or(0, |(_, count)| *count);
        assert!(spoilt <= 1, "call {failing}: {spoilt} lines spoilt");
        assert!(
            whole + dropped <= emitted,
            "call {failing}: {dropped} dropped but {whole} of {emitted} there"
        );
        assert!(whole + dropped + spoilt >= emitted, "call {failing}: a loss that nothing tells of");
    }
}

fn rig_text<'r>(epoch: &'r WriterLoop<Faulty>, path: &Path) -> &'r [u8] {
    epoch.files().memory.read(path).unwrap_or_default()
}

#[test]
fn what_is_queued_when_a_close_is_not_waited_for_is_all_that_is_missing() {
    let mut rig = Rig::new(Limits { batch: 2, ..Limits::default() });
    for _ in 0..5 {
        rig.writer.emit(Kind::Alias, &Text::Of("a"));
    }
    rig.writer.close();
    rig.epoch.turn();
    // The process ends here, as when the wait at close ran out.
    let records = records_in(&rig.files().memory);
    assert_eq!(records.len(), 2);
    assert_numbered(&records);
    assert!(rig.names() == ["000000.jsonl.part"]);
}
