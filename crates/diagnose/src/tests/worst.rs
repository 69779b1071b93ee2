//! The table of `diagnose.md` §9.

use super::log::MS;
use crate::coverage::Span;
use crate::diagnosis::JudgedStall;
use crate::limits::{BaselineKind, Limit};
use crate::stalls::{Locus, Stall};
use crate::verdict::reported;

/// A stall of some ms against a limit of some ms.
fn judged(index: usize, locus: Locus, ms: i64, limit_ms: f64, covered: bool) -> JudgedStall {
    JudgedStall {
        index,
        stall: Stall {
            locus,
            duration_ns: ms * MS,
            start_mono_ns: 0,
            start_wall_ns: 0,
            end_wall_ns: 0,
            bucket: 1,
            ongoing: false,
            overlapped: false,
            before: None,
            step: None,
        },
        limit: Limit {
            limit_ns: limit_ms * 1e6,
            kind: BaselineKind::Floor,
            baseline: None,
            entries: 0,
            factor: 10.0,
            floor_ns: limit_ms * 1e6,
            window_ns: 0,
        },
        covered_by: covered.then_some(Span { start_wall_ns: 0, end_wall_ns: 0 }),
        warm_up: false,
    }
}

#[test]
fn the_one_reported() {
    use Locus::{BetweenSteps as Between, InSchedule, WithinStep as Within};
    // Stalls as (locus, ms, limit in ms, covered), then which of them is reported.
    type Row = (&'static [(Locus, i64, f64, bool)], usize);
    let table: &[Row] = &[
        (&[(Between, 1000, 500.0, true), (Within, 999, 500.0, true)], 0),
        // By ratio, not by length.
        (&[(Within, 1000, 10_000.0, true), (Between, 401, 100.0, true), (Within, 1000, 10_000.0, true)], 1),
        (&[(Within, 600, 500.0, true), (Within, 600, 500.0, true)], 0),
        (&[(InSchedule, 600, 500.0, true), (Within, 600, 500.0, true)], 0),
        // A covered one over its limit takes precedence, one under it does not.
        (&[(Between, 690, 500.0, true), (Between, 2290, 500.0, false)], 0),
        (&[(Between, 60, 500.0, true), (Between, 2920, 500.0, false)], 1),
        (&[(Between, 60, 500.0, true), (Between, 70, 500.0, false)], 1),
    ];
    for (stalls, expected) in table {
        let stalls: Vec<_> = stalls
            .iter()
            .enumerate()
            .map(|(at, &(locus, ms, limit, covered))| judged(at, locus, ms, limit, covered))
            .collect();
        assert_eq!(reported(&stalls, None).map(|judged| judged.index), Some(*expected), "{stalls:?}");
    }
    assert_eq!(reported(&[], None), None);
    let short = judged(3, Within, 4, 500.0, false);
    assert_eq!(reported(&[], Some(short)), Some(short));
}

/// J3: below the lowest floor a stall is no candidate, however near its limit it comes.
#[test]
fn the_candidate_cut() {
    let steps: Vec<String> = (0..30)
        .map(|at| format!("{}-{}-{} a", at * 5, at * 5, at * 5 + 4))
        // Against the floor of 50 ms: 49 ms, ratio 0.98.
        .chain(["198-198-203 a".to_owned()])
        // Against 500 ms, for no step is as large: 60 ms, ratio 0.12.
        .chain(["204-204-264 a x4000".to_owned()])
        .collect();
    let found = super::log::Log::of(&steps.join("; ")).diagnose(&crate::Config::default());
    let reported = found.reported.expect("a stall");
    assert_eq!((reported.stall.duration_ns, reported.limit.limit_ns), (60 * MS, 500e6));
    assert_eq!(found.stalls.len(), 1);
}
