//! The table of `diagnose.md` §6.

use super::log::{Log, MS};
use crate::cadence::{CadenceEntry, cadence_entries};
use crate::config::Config;
use crate::limits::{BaselineKind, Baselines, Limit};
use crate::stalls::{Locus, Stall};
use crate::steps::Steps;
use crate::thresholds::Thresholds;

fn entry(done: i64, bucket: u8, cadence: i64) -> CadenceEntry {
    CadenceEntry { done_mono_ns: done * MS, bucket, cadence_ns: cadence * MS }
}

fn stall(at_ms: i64, bucket: u8) -> Stall {
    Stall {
        locus: Locus::WithinStep,
        duration_ns: 0,
        start_mono_ns: at_ms * MS,
        start_wall_ns: 0,
        end_wall_ns: 0,
        bucket,
        ongoing: false,
        overlapped: false,
        before: None,
        step: None,
    }
}

fn limit(entries: &[CadenceEntry], at_ms: i64, bucket: u8, thresholds: &Thresholds) -> Limit {
    Baselines::of(entries).limits(&[stall(at_ms, bucket)], thresholds)[0]
}

/// Baseline in ms, and its kind.
fn baseline(entries: &[CadenceEntry], at_ms: i64, bucket: u8) -> (Option<f64>, &'static str) {
    let limit = limit(entries, at_ms, bucket, &Thresholds::default());
    (limit.baseline.map(|median| median.value() / 1e6), limit.kind.name())
}

#[test]
fn baselines() {
    let rising: Vec<_> = (1..=30).map(|at| entry(at, 1, at)).collect();
    assert_eq!(baseline(&rising, 30, 1), (Some(15.5), "matched"));
    assert_eq!(baseline(&rising, 19, 1), (None, "floor"));
    assert_eq!(baseline(&rising, 20, 1), (Some(10.5), "matched"));
    assert_eq!(baseline(&rising, 30, 0), (Some(15.5), "unmatched"));
    assert_eq!(baseline(&rising, 30, 2), (None, "floor"));
    let mut mixed = vec![entry(5, 3, 7); 19];
    mixed.push(entry(5, 4, 1));
    assert_eq!(baseline(&mixed, 5, 3), (Some(7.0), "unmatched"));
    assert_eq!(baseline(&mixed, 5, 4), (None, "floor"));
}

#[test]
fn limits() {
    let rising: Vec<_> = (1..=30).map(|at| entry(at, 1, at)).collect();
    let of = |at, bucket, overrides: &[(&str, f64)]| {
        let overrides: Vec<_> =
            overrides.iter().map(|(key, value)| (format!("host_stall.{key}"), *value)).collect();
        limit(&rising, at, bucket, &Thresholds::with_overrides(&overrides).expect("allowed"))
    };
    let matched = of(30, 1, &[]);
    assert_eq!((matched.limit_ns, matched.entries, matched.is_floor()), (155e6, 30, false));
    let low = of(30, 1, &[("stall_floor_ns", 200e6)]);
    assert_eq!((low.limit_ns, low.is_floor()), (200e6, true));
    let none = of(19, 1, &[]);
    assert_eq!((none.limit_ns, none.entries, none.kind), (500e6, 19, BaselineKind::Floor));
    // Both ends of the window count; its length is cut to an integer.
    let window = of(30, 1, &[("baseline_window_ns", 2e6 + 0.9), ("matched_bin_min_steps", 3.0)]);
    assert_eq!((window.entries, window.limit_ns), (3, 290e6));
    assert_eq!(of(30, 1, &[("baseline_window_ns", 1e300)]).entries, 30);
    // Two values satisfy a minimum of 1.5, not of 2.5.
    assert_eq!(of(2, 1, &[("matched_bin_min_steps", 1.5)]).kind, BaselineKind::Matched);
    assert_eq!(of(2, 1, &[("matched_bin_min_steps", 2.5)]).kind, BaselineKind::Floor);
    // None at all satisfies nothing.
    assert_eq!(
        of(0, 1, &[("matched_bin_min_steps", 0.5), ("min_busy_steps", 0.5)]).kind,
        BaselineKind::Floor
    );
}

#[test]
fn entries_come_from_neighbours_that_go_on() {
    let entries = |log: &str| {
        let steps = Steps::of(&Log::of(log).epoch(), &Config::default());
        cadence_entries(&steps)
            .iter()
            .map(|entry| (entry.done_mono_ns / MS, entry.bucket, entry.cadence_ns / MS))
            .collect::<Vec<_>>()
    };
    assert_eq!(entries("0-2-10 a; 15-17-30 a x3; 40-41-never a; 50-51-60 a"), [(30, 2, 20), (60, 1, 30)]);
    assert_eq!(entries("0-2-10 a; 15-17-30 none; 40-41-50 a"), []);
    assert_eq!(entries("0-2-10 a!; 15-17-30 a"), []);
    assert_eq!(entries("0-2-20 a; 5-7-8 a"), [(8, 1, -12)]);
}
