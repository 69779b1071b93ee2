//! A disk that fails: whole lines or none, and counters that say so (`record.md` §11.5, §11.6; `raw-log.md` §8.2).

use std::path::Path;

use crate::support::{Call, EPOCH, Fault, Faulty, Rig, assert_numbered, at};
use stepscope_recorder::{FileSystem, Limits};

fn is_line(call: Call, name: &str) -> bool {
    call == Call::Write && name.contains(".jsonl")
}

#[test]
fn a_short_write_is_continued() {
    let mut rig = Rig::new(Limits::default());
    let mut writes = 0;
    rig.set_rule(move |_, call, name| {
        writes += u64::from(is_line(call, name));
        if is_line(call, name) && writes < 4 { Fault::Short(10) } else { Fault::None }
    });
    rig.emit("a");
    rig.epoch.drain();
    assert_eq!((rig.shape(), rig.errors()), (vec!["a".to_owned()], 0));
}

#[test]
fn a_write_of_nothing_is_a_failure() {
    let mut rig = Rig::new(Limits::default());
    rig.set_rule(|_, call, name| if is_line(call, name) { Fault::Short(0) } else { Fault::None });
    rig.emit("a");
    rig.epoch.drain();
    assert_eq!((rig.errors(), rig.dropped()), (1, vec![("alias", 1)]));
}

#[test]
fn a_torn_line_is_cut_back_counted_and_its_number_used_again() {
    let mut rig = Rig::new(Limits::default());
    rig.emit("a");
    rig.epoch.drain();
    rig.set_rule(|_, call, name| if is_line(call, name) { Fault::Torn(20) } else { Fault::None });
    rig.emit("b");
    rig.epoch.drain();
    rig.heal();
    rig.emit("c");
    rig.epoch.drain();
    assert_eq!(rig.shape(), ["a", "c"]);
    assert_numbered(&rig.records());
    assert_eq!((rig.errors(), rig.dropped()), (1, vec![("alias", 1)]));
    assert_eq!(rig.writer.counters().bytes, rig.text("000000.jsonl.part").len() as i64);
}

#[test]
fn a_fragment_that_cannot_be_cut_back_spoils_only_the_next_line() {
    let mut rig = Rig::new(Limits::default());
    rig.emit("a");
    rig.epoch.drain();
    rig.set_rule(|_, call, name| match call {
        Call::Truncate => Fault::Fail,
        _ if is_line(call, name) => Fault::Torn(20),
        _ => Fault::None,
    });
    rig.emit("b");
    rig.epoch.drain();
    rig.heal();
    rig.emit("c");
    rig.epoch.drain();
    // A failure that can be cut back must leave the spoilt line's end alone.
    rig.set_rule(|_, call, name| if is_line(call, name) { Fault::Torn(30) } else { Fault::None });
    rig.emit("d");
    rig.epoch.drain();
    rig.heal();
    rig.emit("e");
    rig.epoch.drain();
    let text = rig.text("000000.jsonl.part");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].ends_with("\"t\":\"a\"}") && lines[2].ends_with("\"seq\":2,\"t\":\"e\"}"));
    assert!(lines[1].starts_with("{\"format\":\"stormlog.{\"format\"") && lines[1].ends_with("\"t\":\"c\"}"));
    assert_eq!((rig.errors(), rig.dropped()), (2, vec![("alias", 2)]));
}

#[test]
fn a_full_disk_drops_and_counts_and_recovers() {
    let mut rig = Rig::new(Limits::default());
    rig.emit("a");
    rig.beat();
    rig.set_rule(|_, call, _| if matches!(call, Call::Write) { Fault::Fail } else { Fault::None });
    for _ in 0..5 {
        rig.emit("lost");
    }
    rig.beat();
    // Five records, the heartbeat and the status file.
    assert_eq!((rig.errors(), rig.dropped()), (7, vec![("alias", 5), ("heartbeat", 1)]));
    assert_eq!(rig.status()["errors"], 0, "the old status stands");
    rig.heal();
    rig.emit("b");
    rig.beat();
    assert_eq!(rig.shape(), ["a", "heartbeat", "b", "heartbeat"]);
    assert_numbered(&rig.records());
    assert_eq!(rig.records()[3]["dropped"], serde_json::json!({"alias": 5, "heartbeat": 1}));
    assert_eq!(rig.status()["errors"], 7);
}

#[test]
fn a_segment_that_cannot_be_opened_drops_its_records() {
    let mut rig = Rig::new(Limits::default());
    rig.files().memory.set_read_only(Path::new(EPOCH), true);
    rig.emit("a");
    rig.beat();
    assert_eq!((rig.errors(), rig.dropped()), (3, vec![("alias", 1), ("heartbeat", 1)]));
    rig.writer.close();
    assert!(rig.epoch.drain());
    assert_eq!(rig.errors(), 5, "goodbye and status; there is nothing to seal");
    assert!(rig.names().is_empty());
}

#[test]
fn a_writer_whose_directory_vanished_goes_on_until_its_seal() {
    let mut rig = Rig::new(Limits::default());
    rig.emit("a");
    rig.epoch.drain();
    rig.files().memory.remove_dir_all(Path::new(EPOCH)).expect("a directory");
    rig.emit("b");
    rig.beat();
    assert_eq!(rig.errors(), 1, "only the status file");
    assert_eq!((rig.writer.counters().last_seq, rig.dropped()), (2, vec![]));
    rig.writer.close();
    assert!(rig.epoch.drain());
    assert_eq!(rig.errors(), 3, "the seal and the status file");
    assert!(rig.names().is_empty());
}

#[test]
fn after_a_failed_seal_in_a_vanished_directory_every_record_is_lost() {
    let mut rig = Rig::new(Limits { segment_bytes: 100, ..Limits::default() });
    rig.files().memory.remove_dir_all(Path::new("hook")).expect("a directory");
    rig.emit("a");
    rig.epoch.drain();
    assert_eq!((rig.errors(), rig.dropped()), (1, vec![("alias", 1)]));
    let mut rig = Rig::new(Limits { segment_bytes: 150, ..Limits::default() });
    rig.emit("a");
    rig.epoch.drain();
    rig.files().memory.remove_dir_all(Path::new("hook")).expect("a directory");
    rig.emit("b");
    rig.epoch.drain();
    // The seal after the record, and again at the look that follows.
    assert_eq!((rig.errors(), rig.dropped()), (2, vec![]));
    rig.emit("c");
    rig.epoch.drain();
    assert_eq!((rig.errors(), rig.dropped()), (5, vec![("alias", 1)]));
}

#[test]
fn a_status_file_that_cannot_be_replaced_counts_one_error() {
    for failing in [Call::Open, Call::Write, Call::Rename] {
        let mut rig = Rig::new(Limits::default());
        rig.beat();
        let old = rig.text("status.json");
        rig.set_rule(
            move |_, call, name| {
                if call == failing && name.starts_with("status") { Fault::Fail } else { Fault::None }
            },
        );
        rig.beat();
        assert_eq!((rig.errors(), rig.dropped()), (1, vec![]), "{failing:?}");
        assert_eq!(rig.text("status.json"), old, "{failing:?}");
        rig.heal();
        rig.beat();
        assert_eq!(rig.status()["errors"], 1);
        assert!(!rig.names().contains(&"status.json.tmp".to_owned()));
    }
}

#[test]
fn an_epoch_that_cannot_be_made_is_an_error_not_a_panic() {
    for failing in [Call::CreateDirAll, Call::CreateDir, Call::Open, Call::Write] {
        let rule = move |_: u64, call: Call, _: &str| if call == failing { Fault::Fail } else { Fault::None };
        let mut files = Faulty::default();
        files.rule = Box::new(rule);
        assert!(Rig::create(files, Limits::default()).is_err(), "{failing:?}");
    }
    let mut files = Faulty::default();
    files.memory.create_dir_all(Path::new(EPOCH)).expect("made");
    assert!(Rig::create(files, Limits::default()).is_err(), "an epoch's directory must be new");
    let mut files = Faulty::default();
    files.memory.create_dir_all(Path::new("hook")).expect("made");
    files.memory.set_read_only(Path::new("hook"), true);
    assert!(Rig::create(files, Limits::default()).is_err());
}

#[test]
fn the_key_is_only_ever_made_new() {
    let mut rig = Rig::new(Limits::default());
    assert!(rig.files().memory.open(&at("key"), stepscope_recorder::files::OpenMode::CreateNew).is_err());
}
