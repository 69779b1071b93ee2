//! `reduce.md` §9.

use super::log::{Log, facts, raw, reduced};

#[test]
fn the_table_of_finishes() {
    let start = "hello | alias A x";
    for (log, finishes, mark) in [
        ("sched 3 A | term A | compl 3", &[("3", true)][..], 4),
        ("sched 3 A | compl 3 | term A", &[("3", false)], 4),
        ("sched 3 A | sched 4 A | term A | compl 3 | compl 4", &[("3", true)], 6),
        ("sched 3 A | sched 4 A | compl 4 | sched 5 A | term A | compl 5", &[("3", true)], 7),
        ("sched 3 A | compl 3 | sched 4 A | term A", &[], 3),
        ("sched 3 A | compl 3 | term A | sched 4 A", &[], 4),
        // F3: before its first step.
        ("term A @500 | sched 3 A | compl 3", &[("3", false)], 4),
    ] {
        let log = Log::new(&format!("{start} | {log}"));
        let reduced = reduced(&log, &facts(&[]), &raw());
        let expected: Vec<(String, bool)> =
            finishes.iter().map(|&(step, in_step)| (step.to_owned(), in_step)).collect();
        assert_eq!(reduced.finishes(), expected, "{log:?}");
        assert_eq!(reduced.reduction.high_water, Some(mark), "{log:?}");
        assert_eq!(reduced.reduction.finish_unattached, [0; 0], "{log:?}");
    }
}

#[test]
fn a_finish_without_a_membership_is_unattached() {
    let log = Log::new("hello | term B | alias A x | term A");
    let reduced = reduced(&log, &facts(&[]), &raw());
    assert_eq!(reduced.reduction.finish_unattached, [1, 3]);
    let summary = reduced.summary();
    assert_eq!(summary["finish_unattached"], 2);
    assert_eq!(summary["finish_unattached_seqs"], serde_json::json!([1, 3]));
}
