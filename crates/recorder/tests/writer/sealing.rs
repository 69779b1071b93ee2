//! Segments: when they are sealed, the cap, and the close (`record.md` §11.4–§11.7, `raw-log.md` §8).

use std::sync::Arc;

use crate::support::{Call, Fault, Rig, SECOND, Text, at};
use stepscope_recorder::{Kind, Limits};

fn small_segments() -> Limits {
    Limits { segment_bytes: 300, ..Limits::default() }
}

#[test]
fn a_segment_is_made_by_its_first_record_and_sealed_by_size() {
    let mut rig = Rig::new(small_segments());
    rig.epoch.turn();
    assert!(rig.names().is_empty(), "no record, no segment");
    for text in ["a", "b", "c", "d"] {
        rig.emit(text);
    }
    rig.epoch.drain();
    // A line is 106 bytes: the third reaches 300.
    assert_eq!(rig.names(), ["000000.jsonl", "000001.jsonl.part"]);
    assert_eq!(rig.text("000000.jsonl").lines().count(), 3);
    crate::support::assert_numbered(&rig.records());
}

#[test]
fn a_segment_is_sealed_by_age_from_its_first_record() {
    let mut rig = Rig::new(Limits { heartbeat_ns: i64::MAX, ..Limits::default() });
    rig.clock.advance(100 * SECOND);
    rig.emit("a");
    rig.epoch.turn();
    rig.clock.advance(60 * SECOND - 1);
    rig.epoch.turn();
    assert_eq!(rig.names(), ["000000.jsonl.part"]);
    rig.clock.advance(1);
    rig.epoch.turn();
    assert_eq!(rig.names(), ["000000.jsonl"]);
    rig.epoch.turn();
    assert_eq!(rig.names(), ["000000.jsonl"], "with nothing written since, nothing is sealed");
}

#[test]
fn a_flush_seals_and_is_removed() {
    let mut rig = Rig::new(Limits::default());
    rig.touch("flush");
    rig.epoch.turn();
    assert!(rig.names().is_empty(), "with nothing to seal it is just removed");
    rig.emit("a");
    rig.touch("flush");
    rig.epoch.turn();
    assert_eq!(rig.names(), ["000000.jsonl"]);
    assert_eq!(rig.errors(), 0);
}

#[test]
fn a_flush_that_cannot_be_removed_seals_at_every_look() {
    use stepscope_recorder::FileSystem;
    let mut rig = Rig::new(Limits::default());
    rig.files().memory.create_dir(&at("flush")).expect("a directory");
    for text in ["a", "b"] {
        rig.emit(text);
        rig.epoch.turn();
    }
    assert_eq!(rig.names(), ["000000.jsonl", "000001.jsonl"]);
    assert_eq!(rig.errors(), 0);
}

#[test]
fn a_failed_seal_counts_an_error_a_look_and_records_go_on_in_the_same_segment() {
    let mut rig = Rig::new(Limits::default());
    rig.emit("a");
    rig.epoch.turn();
    rig.touch("flush");
    rig.set_rule(
        |_, call, name| {
            if call == Call::Rename && name.ends_with(".part") { Fault::Fail } else { Fault::None }
        },
    );
    rig.epoch.turn();
    rig.emit("b");
    rig.epoch.turn();
    assert_eq!(rig.errors(), 2);
    assert_eq!(rig.names(), ["000000.jsonl.part", "flush"], "the request stays");
    rig.heal();
    rig.epoch.turn();
    assert_eq!(rig.names(), ["000000.jsonl"]);
    assert_eq!((rig.shape(), rig.errors(), rig.dropped()), (vec!["a".into(), "b".into()], 2, vec![]));
}

#[test]
fn the_age_of_a_segment_survives_a_failed_seal() {
    let mut rig = Rig::new(Limits { heartbeat_ns: i64::MAX, ..Limits::default() });
    rig.emit("a");
    rig.epoch.turn();
    rig.clock.advance(60 * SECOND);
    rig.set_rule(|_, call, _| if call == Call::Rename { Fault::Fail } else { Fault::None });
    rig.emit("b");
    rig.epoch.turn();
    assert_eq!(rig.errors(), 1);
    rig.heal();
    rig.emit("c");
    rig.epoch.turn();
    assert_eq!(rig.names(), ["000000.jsonl"], "still a minute old");
}

#[test]
fn the_cap_counts_whole_lines_and_a_record_that_fills_it_is_written() {
    let line = 106;
    let mut rig = Rig::new(Limits { epoch_bytes: 2 * line, ..Limits::default() });
    for text in ["a", "b"] {
        rig.emit(text);
    }
    rig.epoch.drain();
    assert_eq!(rig.text("000000.jsonl.part").len(), 2 * line as usize);
    assert!(!rig.writer.counters().capped);
    rig.emit("c");
    rig.writer.emit(Kind::Pause, &Text::Of("d"));
    rig.epoch.drain();
    assert!(rig.writer.counters().capped);
    rig.emit("e");
    assert_eq!(rig.dropped(), [("alias", 2), ("pause", 1)]);
    assert_eq!(rig.shape(), ["a", "b"]);
}

#[test]
fn a_capped_writer_keeps_its_status_and_drops_its_goodbye() {
    let mut rig = Rig::new(Limits { epoch_bytes: 150, ..Limits::default() });
    rig.emit("a");
    rig.epoch.turn();
    rig.beat();
    assert_eq!(rig.dropped(), [("heartbeat", 1)], "the heartbeat that would pass the cap");
    rig.beat();
    assert_eq!(rig.dropped(), [("heartbeat", 1)], "later ones are not counted");
    assert_eq!(rig.status()["capped"], true);
    rig.writer.close();
    assert!(rig.epoch.drain());
    assert_eq!(rig.names(), ["000000.jsonl", "status.json"]);
    assert_eq!(rig.status()["dropped"], serde_json::json!({"heartbeat": 1, "goodbye": 1}));
    assert_eq!(rig.shape(), ["a"]);
}

#[test]
fn a_cap_of_nothing_caps_at_the_first_record() {
    for epoch_bytes in [0, -5] {
        let mut rig = Rig::new(Limits { epoch_bytes, ..Limits::default() });
        rig.emit("a");
        rig.epoch.turn();
        assert!(rig.writer.counters().capped && rig.names().is_empty());
    }
}

#[test]
fn a_close_writes_the_backlog_then_goodbye_then_seals_then_status() {
    let mut rig = Rig::new(Limits { queue_records: 2, queue_bytes: 30, ..Limits::default() });
    rig.emit("a");
    rig.emit("b");
    rig.writer.close();
    rig.writer.close();
    rig.emit("c");
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&order);
    rig.set_rule(move |_, call, name| {
        seen.lock().expect("not poisoned").push(format!("{call:?} {name}"));
        Fault::None
    });
    assert!(rig.epoch.turn());
    assert_eq!(rig.shape(), ["a", "b", "goodbye"]);
    let records = rig.records();
    assert_eq!(records[2]["last_seq"], 2);
    assert_eq!(
        *order.lock().expect("not poisoned"),
        [
            "Open 000000.jsonl.part",
            "Write 000000.jsonl.part",
            "Write 000000.jsonl.part",
            "Write 000000.jsonl.part",
            "Exists flush",
            "Close 000000.jsonl.part",
            "Rename 000000.jsonl.part",
            "Open status.json.tmp",
            "Write status.json.tmp",
            "Close status.json.tmp",
            "Rename status.json.tmp"
        ]
    );
    assert_eq!(rig.status()["last_seq"], 2);
    assert_eq!(rig.dropped(), [("alias", 1)], "the one after the close, in memory only");
    let calls = rig.files().calls;
    rig.clock.advance(10 * SECOND);
    assert!(rig.epoch.turn());
    assert_eq!(rig.files().calls, calls, "an epoch that has ended is left alone");
}

#[test]
fn beats_go_on_while_the_backlog_drains_but_not_in_the_last_pass() {
    let mut rig = Rig::new(Limits { batch: 2, heartbeat_ns: 10, ..Limits::default() });
    for text in ["a", "b", "c"] {
        rig.emit(text);
    }
    rig.writer.close();
    rig.clock.advance(10);
    assert!(!rig.epoch.turn());
    rig.clock.advance(10);
    assert!(rig.epoch.turn());
    // In the last pass a beat may still come after a record, but none after the goodbye.
    assert_eq!(rig.shape(), ["a", "heartbeat", "b", "c", "heartbeat", "goodbye"]);
}

#[test]
fn a_child_does_not_close_its_parents_epoch() {
    use std::sync::atomic::{AtomicU32, Ordering};
    use stepscope_recorder::{ManualClock, MemoryFiles, Process, Role, Writer};
    struct Forking(AtomicU32);
    impl Process for Forking {
        fn pid(&self) -> u32 {
            self.0.load(Ordering::Relaxed)
        }
        fn host(&self) -> String {
            "h".into()
        }
        fn boot_id(&self) -> Option<String> {
            None
        }
        fn key(&self) -> std::io::Result<[u8; 32]> {
            Ok([0; 32])
        }
    }
    let process = Arc::new(Forking(AtomicU32::new(1)));
    let (writer, mut epoch) = Writer::create(
        MemoryFiles::new(),
        std::path::Path::new("hook"),
        Role::Engine,
        Limits::default(),
        Arc::new(ManualClock::default()),
        Arc::clone(&process) as _,
    )
    .expect("an epoch");
    process.0.store(2, Ordering::Relaxed);
    writer.close();
    assert!(!epoch.drain());
    process.0.store(1, Ordering::Relaxed);
    writer.close();
    assert!(epoch.drain());
}
