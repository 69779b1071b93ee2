//! `reduce.md` §12.

use super::log::{Log, facts, raw, reduced};
use crate::facts::{Options, Rules};

fn marks(log: &Log) -> (Option<i64>, Option<i64>) {
    let corrected = Options { rules: Rules::Corrected, ..raw() };
    let mark = |options: &Options| reduced(log, &facts(&[]), options).reduction.high_water;
    (mark(&raw()), mark(&corrected))
}

#[test]
fn the_table_of_marks() {
    for (log, reference, corrected) in [
        ("hello | alias A | sched 0 A | compl 0 | hb", 4, 4),
        ("hello | alias A | sched 0 A", 0, 0),
        ("hello | alias B | alias A | sched 3 A | compl 3", 0, 0),
        ("hello | alias A | term A", 0, 2),
        ("hello | enq A", 1, 1),
        ("hello | sched 0 A | compl 0 | hb | gap | bye", 3, 3),
        ("alias A", -1, -1),
        // T3: a reset no step followed.
        ("hello | sched 0 A | compl 0 | reset A", 2, 2),
        ("hello | sched 0 A | compl 0 | reset- A", 3, 3),
        // T2: a pending step's first reset.
        ("hello | sched 0 A | compl 0 | reset A | reset B | sched 1 A,B", 2, 2),
    ] {
        assert_eq!(marks(&Log::new(log)), (Some(reference), Some(corrected)), "{log}");
    }
}

#[test]
fn an_import_never_goes_back() {
    let mut log = Log::new("hello | alias A | sched 0 A");
    log.mark = Some(1);
    assert_eq!(marks(&log), (Some(1), Some(1)));
    let mut empty = Log::new("");
    assert_eq!(marks(&empty), (None, None));
    empty.mark = Some(10);
    assert_eq!(marks(&empty), (Some(10), Some(10)));
}

/// H5.
#[test]
fn a_request_whose_steps_are_written_holds_the_reference_alone() {
    let mut log = Log::new("hello | alias B | alias A | sched 3 A | compl 3");
    let mut held = facts(&[]);
    let first = reduced(&log, &held, &raw());
    assert_eq!(first.reduction.high_water, Some(0));
    first.reduction.each_record(&first.epoch, &mut |record| held.add_written(record));
    log.add("term A | sched 4 B | compl 4");
    log.mark = Some(0);
    let mark = |options: &Options| reduced(&log, &held, options).reduction.high_water;
    assert_eq!(mark(&raw()), Some(1));
    assert_eq!(mark(&Options { rules: Rules::Corrected, ..raw() }), Some(7));
}
