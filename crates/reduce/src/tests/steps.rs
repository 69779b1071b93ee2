//! `reduce.md` §4.

use super::log::{End, Log, facts, raw, reduced};

#[test]
fn the_table_of_steps() {
    use End::{Alive, Unknown};
    for (log, end, steps, pending, without) in [
        (
            "hello | sched 0 A | sched 1 A | sched 2 A | compl 1 | compl 2",
            Unknown,
            &["0 incomplete completed_missing 4", "1 complete - 4", "2 complete - 5"][..],
            0,
            0,
        ),
        (
            "hello | sched 0 A | sched 1 A | compl 1 | sched 2 A | bye",
            Unknown,
            &["0 incomplete epoch_ended 3", "1 complete - 3", "2 incomplete epoch_ended 5"],
            0,
            0,
        ),
        ("hello | sched a A | sched 5 A | compl 5", Alive, &["5 complete - 3"], 1, 0),
        ("hello | sched 3 A | compl 9", Alive, &["3 incomplete completed_missing 2"], 0, 1),
        ("hello | sched 3 A | compl 03", Alive, &[], 1, 1),
        ("hello | sched 007 A | compl 8", Alive, &["007 incomplete completed_missing 2"], 0, 1),
        ("hello | sched -1 A | compl 8", Alive, &[], 1, 1),
        // S1: the later of a name replaces the earlier, and has the one completion.
        ("hello | sched 0 A | sched 0 B | compl 0", Alive, &["0 complete - 3"], 0, 0),
        // S2: a completion before its step, and a second one.
        ("hello | compl 0 | sched 0 A | compl 0", Alive, &["0 complete - 1"], 0, 0),
    ] {
        let mut log = Log::new(log);
        log.end = end;
        let reduced = reduced(&log, &facts(&[]), &raw());
        assert_eq!(reduced.steps(), steps, "{log:?}");
        assert_eq!(reduced.reduction.counts.pending, pending, "{log:?}");
        assert_eq!(reduced.reduction.counts.completed_without_scheduled, without, "{log:?}");
    }
}

#[test]
fn the_server_that_was_stopped_ends_its_steps() {
    let mut log = Log::new("hello | sched 0 A");
    log.end = End::Gone;
    assert_eq!(reduced(&log, &facts(&[]), &raw()).steps(), ["0 incomplete epoch_ended 1"]);
}

#[test]
fn a_replaced_step_still_uses_its_ids() {
    // B was listed at 120 only by the step that was replaced; its admission at 150 comes later.
    let log = Log::new(
        "hello | sched 0 B @120 | sched 0 A @130 | alias B x @150 | sched 1 B @160 | compl 0 | compl 1",
    );
    let reduced = reduced(&log, &facts(&[]), &raw());
    assert!(reduced.event_ids().contains(&"membership:P:1:B#2:prefill".to_owned()));
    assert_eq!(reduced.reduction.executions().iter().sum::<u64>(), 3);
}
