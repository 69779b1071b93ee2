//! Limits, drops, reservations and the numbers of a heartbeat (`record.md` §11.2–§11.4).

use std::sync::Arc;

use crate::support::{Rig, Text};
use stepscope_recorder::{Encoder, Fields, Kind, Limits, NotEncodable, StatusSource, Value};

#[test]
fn a_full_queue_drops_by_kind() {
    let mut rig = Rig::new(Limits { queue_records: 3, ..Limits::default() });
    for text in ["a", "b", "c", "d"] {
        rig.emit(text);
    }
    rig.writer.emit(Kind::Pause, &Text::Of("e"));
    assert_eq!(rig.dropped(), [("alias", 1), ("pause", 1)]);
    rig.epoch.drain();
    rig.emit("f");
    rig.epoch.drain();
    assert_eq!(rig.shape(), ["a", "b", "c", "f"]);
}

#[test]
fn the_default_queue_holds_exactly_20_000_records() {
    let mut rig = Rig::new(Limits::default());
    for _ in 0..20_001 {
        rig.emit("a");
    }
    assert_eq!((rig.writer.counters().queued, rig.dropped()), (20_000, vec![("alias", 1)]));
    rig.epoch.drain();
    assert_eq!(rig.records().len(), 20_000);
}

#[test]
fn bytes_are_counted_exactly_and_a_record_that_fills_them_passes() {
    let mut rig = Rig::new(Limits { queue_bytes: 100, ..Limits::default() });
    for (size, fits) in [(60, true), (41, false), (40, true), (8, false)] {
        let before = rig.writer.counters().queued;
        rig.writer.emit(Kind::Alias, &Text::Size(size));
        assert_eq!(rig.writer.counters().queued - before, usize::from(fits), "{size} bytes");
    }
    assert_eq!(rig.dropped(), [("alias", 2)]);
    rig.epoch.drain();
    rig.writer.emit(Kind::Alias, &Text::Size(100));
    assert_eq!(rig.dropped(), [("alias", 2)], "what was written is no longer queued");
}

#[test]
fn bytes_of_records_being_written_count_until_they_are_out() {
    // The status source runs in the middle of a batch: two of three records are out by then.
    struct Inside(stepscope_recorder::Writer);
    impl StatusSource for Inside {
        fn fields(&self) -> Result<Vec<(String, Value)>, stepscope_recorder::writer::SourceFailed> {
            self.0.emit(Kind::Pause, &Text::Size(60));
            self.0.emit(Kind::Terminal, &Text::Size(61));
            Ok(Vec::new())
        }
    }
    let mut rig = Rig::new(Limits { queue_bytes: 90, heartbeat_ns: 10, ..Limits::default() });
    for _ in 0..3 {
        rig.writer.emit(Kind::Alias, &Text::Size(30));
    }
    rig.writer.set_status_source(Arc::new(Inside(rig.writer.clone())));
    let clock = Arc::clone(&rig.clock);
    let mut writes = 0;
    rig.set_rule(move |_, call, name| {
        if call == crate::support::Call::Write && name.ends_with(".part") {
            writes += 1;
            // Due after the second record.
            clock.advance(if writes == 2 { 10 } else { 0 });
        }
        crate::support::Fault::None
    });
    rig.epoch.turn();
    // 90 − 2 × 30 bytes are still in flight: 60 fit, once; the source is asked twice a beat.
    assert_eq!(rig.dropped(), [("terminal", 2), ("pause", 1)]);
    assert_eq!(rig.records()[2]["kind"], "heartbeat");
    assert_eq!((&rig.records()[2]["queued"], &rig.records()[2]["pending"]), (&0.into(), &1.into()));
}

#[test]
fn a_record_of_exactly_the_limit_passes_and_one_byte_more_is_oversized() {
    let mut rig = Rig::new(Limits::default());
    rig.writer.emit(Kind::Alias, &Text::Unforeseen(4 << 20));
    rig.writer.emit(Kind::Alias, &Text::Unforeseen((4 << 20) + 1));
    rig.writer.emit(Kind::Pause, &Text::Size(5 << 20));
    assert_eq!(rig.dropped(), [("alias_oversized", 1), ("pause_oversized", 1)]);
    assert_eq!(rig.writer.counters().reserved, 0);
    rig.epoch.drain();
    assert_eq!(rig.records().len(), 1);
}

#[test]
fn the_lower_bound_refuses_without_encoding() {
    struct Huge;
    impl Fields for Huge {
        fn encode(&self, _: &mut Encoder<'_>) -> Result<(), NotEncodable> {
            panic!("encoded although it is surely too large");
        }
        fn surely_exceeds(&self, limit: usize) -> bool {
            limit == 4 << 20
        }
    }
    let rig = Rig::new(Limits::default());
    rig.writer.emit(Kind::Scheduled, &Huge);
    assert_eq!(rig.dropped(), [("scheduled_oversized", 1)]);
}

#[test]
fn oversized_is_tested_first_also_when_capped_or_closing() {
    let mut rig = Rig::new(Limits { epoch_bytes: 0, record_bytes: 50, ..Limits::default() });
    rig.emit("a");
    rig.epoch.drain();
    rig.writer.emit(Kind::Pause, &Text::Size(80));
    rig.writer.emit(Kind::Pause, &Text::Unforeseen(80));
    assert_eq!(rig.dropped(), [("alias", 1), ("pause_oversized", 1), ("pause", 1)], "capped");

    let rig = Rig::new(Limits { record_bytes: 50, ..Limits::default() });
    rig.writer.close();
    rig.writer.emit(Kind::Pause, &Text::Size(80));
    rig.emit("a");
    assert_eq!(rig.dropped(), [("pause_oversized", 1), ("alias", 1)], "closing");
}

#[test]
fn what_cannot_be_encoded_is_an_error_and_no_drop() {
    let mut rig = Rig::new(Limits::default());
    rig.writer.emit(Kind::Alias, &Text::NotEncodable);
    rig.writer.emit(Kind::Alias, &Text::NoObject);
    let counters = rig.writer.counters();
    assert_eq!((counters.errors, counters.dropped.len(), counters.reserved), (2, 0, 0));
    rig.epoch.drain();
    assert!(rig.records().is_empty());
}

#[test]
fn a_ticket_reserves_until_it_is_emitted_closed_or_lost() {
    let rig = Rig::new(Limits::default());
    let reserved = || {
        let counters = rig.writer.counters();
        (counters.reserved, counters.pending, counters.queued)
    };
    let (first, second, third) = (rig.writer.reserve(), rig.writer.reserve(), rig.writer.reserve());
    assert_eq!(reserved(), (3, 3, 0));
    first.emit(Kind::Alias, &Text::Of("a"));
    assert_eq!(reserved(), (2, 3, 1));
    second.close();
    assert_eq!(reserved(), (1, 2, 1));
    struct Panics;
    impl Fields for Panics {
        fn encode(&self, _: &mut Encoder<'_>) -> Result<(), NotEncodable> {
            panic!("while encoding");
        }
    }
    let lost = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| third.emit(Kind::Alias, &Panics)));
    assert!(lost.is_err());
    assert_eq!(reserved(), (0, 1, 1));
}

#[test]
fn heartbeats_in_a_backlog_count_queue_batch_and_reservations() {
    let mut rig = Rig::new(Limits { batch: 4, heartbeat_ns: 10, ..Limits::default() });
    let _reserved = rig.writer.reserve();
    for text in ["a", "b", "c", "d", "e", "f"] {
        rig.emit(text);
    }
    let clock = Arc::clone(&rig.clock);
    rig.set_rule(move |_, call, name| {
        if call == crate::support::Call::Write && name.ends_with(".part") {
            clock.advance(4);
        }
        crate::support::Fault::None
    });
    rig.epoch.drain();
    assert_eq!(rig.shape(), ["a", "b", "c", "heartbeat", "d", "e", "f", "heartbeat"]);
    let records = rig.records();
    let numbers = |place: usize| {
        let of = |name: &str| records[place][name].as_i64().expect("a number");
        [of("last_seq"), of("queued"), of("pending"), of("reserved")]
    };
    // After c: d in flight, e and f queued, one reserved. After f: only the reservation.
    assert_eq!(numbers(3), [2, 2, 4, 1]);
    assert_eq!(numbers(7), [6, 0, 1, 1]);
}

#[test]
fn a_pass_takes_at_most_a_batch() {
    let mut rig = Rig::new(Limits::default());
    for _ in 0..300 {
        rig.emit("a");
    }
    rig.epoch.turn();
    assert_eq!(rig.records().len(), 256);
    assert_eq!(rig.writer.counters().queued, 44);
}

#[test]
fn beats_do_not_catch_up() {
    let mut rig = Rig::new(Limits::default());
    rig.clock.advance(10 * crate::support::SECOND);
    rig.epoch.turn();
    rig.epoch.turn();
    assert_eq!(rig.shape(), ["heartbeat"]);
    rig.clock.advance(crate::support::SECOND - 1);
    rig.epoch.turn();
    assert_eq!(rig.shape(), ["heartbeat"]);
    rig.clock.advance(1);
    rig.epoch.turn();
    assert_eq!(rig.shape(), ["heartbeat", "heartbeat"]);
}

#[test]
fn a_heartbeats_last_seq_is_the_record_before_it() {
    let mut rig = Rig::new(Limits::default());
    rig.beat();
    rig.emit("a");
    rig.beat();
    let records = rig.records();
    assert_eq!((&records[0]["last_seq"], &records[2]["last_seq"]), (&(-1).into(), &1.into()));
    crate::support::assert_numbered(&records);
    let bytes: usize = rig.text("000000.jsonl.part").lines().take(2).map(|line| line.len() + 1).sum();
    assert_eq!(records[2]["bytes"], bytes);
}
