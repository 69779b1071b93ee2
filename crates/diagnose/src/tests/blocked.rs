//! The tables of `diagnose.md` §5.

use super::log::{Log, MS, wall};
use crate::blocked::{Blocked, OPEN_END_NS, pause_intervals};
use crate::rules::Rules;
use crate::stalls::{Locus, Stall};
use crate::window::Window;

fn stall(start_mono_ns: i64, low: i64, high: i64) -> Stall {
    Stall {
        locus: Locus::BetweenSteps,
        duration_ns: 777,
        start_mono_ns,
        start_wall_ns: low,
        end_wall_ns: high,
        bucket: 3,
        ongoing: true,
        overlapped: true,
        before: Some(1),
        step: None,
    }
}

/// Pieces as (start mono, start wall, end wall); `None` when the stall is unchanged.
fn split(rules: Rules, stall: Stall, blocked: &[(i64, i64)]) -> Option<Vec<(i64, i64, i64)>> {
    let mut pieces = Vec::new();
    Blocked::new(blocked, &[], rules.into()).split(stall, &mut |piece| pieces.push(piece));
    if pieces == [stall] {
        return None;
    }
    for piece in &pieces {
        assert_eq!(piece.duration_ns, piece.end_wall_ns - piece.start_wall_ns);
        assert_eq!((piece.locus, piece.bucket, piece.ongoing), (stall.locus, 3, true));
    }
    Some(pieces.iter().map(|piece| (piece.start_mono_ns, piece.start_wall_ns, piece.end_wall_ns)).collect())
}

#[test]
fn what_remains_of_a_stall() {
    type Row = (i64, &'static [(i64, i64)], Option<&'static [(i64, i64, i64)]>);
    let table: &[Row] = &[
        (10, &[(20, 30), (50, 60)], Some(&[(10, 10, 20), (30, 30, 50), (60, 60, 100)])),
        (10, &[(10, 100)], Some(&[])),
        (10, &[(0, 10), (100, 100)], None),
        (10, &[(50, 70), (20, 60)], Some(&[(10, 10, 20), (70, 70, 100)])),
        (12, &[(20, 30)], Some(&[(12, 10, 20), (32, 30, 100)])),
        (10, &[(0, 5), (200, 300)], None),
        (10, &[(95, OPEN_END_NS)], Some(&[(10, 10, 95)])),
    ];
    for (start_mono, blocked, expected) in table {
        for rules in [Rules::Reference, Rules::Corrected] {
            let found = split(rules, stall(*start_mono, 10, 100), blocked);
            assert_eq!(found.as_deref(), *expected, "{blocked:?} by {rules:?}");
        }
    }
}

#[test]
fn intervals_that_end_before_they_begin() {
    let whole = stall(10, 10, 100);
    let backwards: &[(i64, i64)] = &[(30, 20), (50, 60)];
    let pieces = vec![(10, 10, 30), (20, 20, 50), (60, 60, 100)];
    assert_eq!(split(Rules::Reference, whole, backwards), Some(pieces));
    assert_eq!(split(Rules::Corrected, whole, backwards), Some(vec![(10, 10, 50), (60, 60, 100)]));
    assert_eq!(split(Rules::Reference, whole, &[(50, 50)]), Some(vec![(10, 10, 50), (50, 50, 100)]));
    assert_eq!(split(Rules::Corrected, whole, &[(50, 50)]), None);
}

#[test]
fn a_stall_of_no_wall_length_needs_no_interval_near_it() {
    for (low, high) in [(10, 10), (10, 5)] {
        assert_eq!(split(Rules::Reference, stall(10, low, high), &[]), None);
        assert_eq!(split(Rules::Reference, stall(10, low, high), &[(500, 600)]), Some(vec![]));
        assert_eq!(split(Rules::Corrected, stall(10, low, high), &[(500, 600)]), None);
    }
}

#[test]
fn doubling_ends_somewhere() {
    let nested: Vec<(i64, i64)> = (0..60).map(|at| (1_000 - at, 100 + at)).collect();
    let mut pieces = 0;
    Blocked::new(&nested, &[], Rules::Reference.into()).split(stall(0, 0, 2_000), &mut |_| pieces += 1);
    assert!((4_096..20_000).contains(&pieces), "{pieces}");
}

#[test]
fn pauses() {
    let open = OPEN_END_NS;
    type Row = (&'static [(&'static str, i64)], &'static [(i64, i64)]);
    let table: &[Row] = &[
        (&[("PAUSED_ALL", 5), ("UNPAUSED", 9)], &[(5, 9)]),
        (&[("PAUSED_ALL", 5), ("PAUSED_ALL", 7), ("PAUSED_NEW", 9)], &[(5, 9)]),
        (&[("PAUSED_NEW", 5), ("PAUSED_ALL", 7)], &[(7, -1)]),
        (&[("UNPAUSED", 5)], &[]),
        (&[("PAUSED_ALL", 9), ("UNPAUSED", 5)], &[(9, 5)]),
    ];
    for (records, expected) in table {
        let log = records.iter().fold(Log::new(), |log, (to, ms)| log.pause(to, *ms));
        let epoch = log.epoch();
        let expected: Vec<_> = expected
            .iter()
            .map(|&(start, end)| (wall(start), if end < 0 { open } else { wall(end) }))
            .collect();
        assert_eq!(pause_intervals(&Window::of(&epoch, 0)), (expected, 0), "{records:?}");
    }
}

#[test]
fn pauses_without_a_stamp_are_left_out() {
    let unstamped = |to: &str| serde_json::json!({"to": to});
    let log = Log::new()
        .record("pause", unstamped("PAUSED_ALL"))
        .pause("PAUSED_ALL", 5)
        .record("pause", unstamped("UNPAUSED"))
        .record("pause", serde_json::json!({"to": "UNPAUSED", "wall_ns": (wall(9) / MS * MS).to_string()}));
    assert_eq!(pause_intervals(&Window::of(&log.epoch(), 0)), (vec![(wall(5), wall(9))], 2));
}
