//! Random logs on which the rules and their plain form must agree.

use proptest::prelude::*;
use serde_json::json;

use super::log::Log;
use super::plain::{
    Case, Member, Row, Step, cadence, candidates, covered, limit, pause_intervals, reported, split,
};
use crate::blocked::Blocked;
use crate::config::Config;
use crate::rules::Rules;
use crate::stalls::{Now, Stall, each_stall};
use crate::steps::Steps;
use crate::thresholds::Thresholds;
use crate::window::Window;

fn row(stall: &Stall) -> Row {
    (
        stall.locus.name(),
        stall.duration_ns,
        stall.start_mono_ns,
        stall.start_wall_ns,
        stall.end_wall_ns,
        stall.bucket,
        stall.ongoing,
        stall.overlapped,
    )
}

fn log(case: &Case) -> Log {
    let mut log = Log::new();
    for (at, step) in case.steps.iter().enumerate() {
        let name = at.to_string();
        let members: Vec<_> = step
            .members
            .iter()
            .map(|m| json!({"internal": m.id.to_string(), "resumable": m.streaming, "prompt_tokens": m.prompt}))
            .collect();
        log = log.record(
            "scheduled",
            json!({
                "iteration": name, "start_mono_ns": step.start, "start_wall_ns": step.start + step.skew,
                "end_mono_ns": step.end, "end_wall_ns": step.end + step.skew, "total_tokens": step.tokens,
                "members": members,
            }),
        );
        if let Some((mono, wall)) = step.done {
            let outcomes: Vec<_> = step
                .members
                .iter()
                .map(|m| json!({"internal": m.id.to_string(), "finish_reason": m.finished.then_some("stop")}))
                .collect();
            let fields = json!({"iteration": name, "mono_ns": mono, "wall_ns": wall, "members": outcomes});
            log = log.record("completed", fields);
        }
    }
    for &(entering, wall) in &case.pauses {
        let to = if entering { "PAUSED_ALL" } else { "UNPAUSED" };
        log = log.record("pause", json!({"to": to, "wall_ns": wall}));
    }
    for &(wall, dropped) in &case.beats {
        log = log.record("heartbeat", json!({"wall_ns": wall, "dropped": {"a": dropped}, "errors": 0}));
    }
    for &(id, mono) in &case.terminals {
        log = log.record("terminal", json!({"internal": id.to_string(), "mono_ns": mono}));
    }
    log
}

prop_compose! {
    fn member()(id in 0..4_u8, finished in prop::bool::weighted(0.15), streaming in prop::bool::weighted(0.2),
        prompt in prop::option::weighted(0.9, 5..8_i64)) -> Member {
        Member { id, finished, streaming, prompt }
    }
}

prop_compose! {
    fn step()(start in 1..120_i64, length in 0..6_i64, work in -3..30_i64, is_done in prop::bool::weighted(0.9),
        has_wall in prop::bool::weighted(0.9), skew in prop_oneof![4 => Just(500_i64), 1 => 480..520_i64],
        tokens in prop::sample::select(vec![0, 1, 1, 1, 2, 5, 9]), members in prop::collection::vec(member(), 0..5))
        -> Step {
        let done = start + length + work;
        let done = is_done.then_some((done, has_wall.then_some(done + skew)));
        // What a member finished with stands in the completion.
        let members = members.into_iter().map(|m| Member { finished: m.finished && is_done, ..m }).collect();
        Step { start, end: start + length, done, skew, tokens, members }
    }
}

fn thresholds() -> impl Strategy<Value = Vec<(String, f64)>> {
    let key = |name: &'static str, values: Vec<f64>| {
        prop::option::weighted(0.8, prop::sample::select(values))
            .prop_map(move |value| value.map(|value| (format!("host_stall.{name}"), value)))
    };
    (
        key("stall_factor", vec![0.5, 1.0, 2.0, 10.0]),
        key("stall_floor_ns", vec![1.0, 4.5, 10.0, 30.0]),
        key("no_baseline_floor_ns", vec![1.0, 8.0, 20.0]),
        key("baseline_window_ns", vec![0.5, 10.0, 40.7, 1e12]),
        key("min_busy_steps", vec![0.5, 1.0, 2.5, 4.0]),
        key("matched_bin_min_steps", vec![0.5, 1.0, 2.5, 4.0]),
        key("heartbeat_grace_ns", vec![1.0, 20.5, 1e9]),
    )
        .prop_map(|(a, b, c, d, e, f, g)| [a, b, c, d, e, f, g].into_iter().flatten().collect())
}

prop_compose! {
    fn case()(steps in prop::collection::vec(step(), 0..14),
        pauses in prop::collection::vec((any::<bool>(), 500..640_i64), 0..4),
        exclude in prop::collection::vec((500..640_i64, 500..640_i64), 0..3),
        beats in prop::collection::vec((490..680_i64, prop::sample::select(vec![0_i64, 0, 0, 1])), 0..6),
        terminals in prop::collection::vec((0..4_u8, 0..160_i64), 0..3),
        now in prop::option::of(500..700_i64), thresholds in thresholds()) -> Case {
        Case { steps, pauses, exclude, beats, terminals, now, thresholds }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn fast_equals_plain(case in case(), corrected: bool) {
        let epoch = log(&case).epoch();
        let rules = if corrected { Rules::Corrected } else { Rules::Reference };
        let pauses = pause_intervals(&case);
        let blocked: Vec<_> = pauses.iter().chain(&case.exclude).copied().collect();
        let expected = split(candidates(&case, corrected), blocked, corrected);

        let window = Window::of(&epoch, 0);
        let steps = Steps::of_window(&window, rules.into());
        let now = Now::of(&window, &steps, case.now, true, rules.into());
        let mut found = Vec::new();
        let blocked = Blocked::new(&pauses, &case.exclude, rules.into());
        each_stall(&steps, &blocked, &now, |stall| found.push(row(&stall)));
        prop_assert_eq!(&found, &expected);

        let entries: Vec<_> = crate::cadence::cadence_entries(&steps)
            .iter()
            .map(|entry| (entry.done_mono_ns, entry.bucket, entry.cadence_ns))
            .collect();
        prop_assert_eq!(entries, cadence(&case));

        let thresholds = Thresholds::with_overrides(&case.thresholds).expect("allowed");
        let config = Config {
            now_wall_ns: case.now,
            exclude_wall: case.exclude.clone(),
            thresholds: thresholds.clone(),
            rules,
            ..Config::default()
        };
        let judged = crate::diagnose(&epoch, &config);
        let entries = cadence(&case);
        let lowest = thresholds.lowest_ns();
        let over: Vec<_> = expected
            .iter()
            .map(|row| (*row, limit(&entries, row, &thresholds), covered(&case, row, &thresholds)))
            .filter(|(row, ..)| row.1 as f64 >= lowest)
            .collect();
        let kept: Vec<_> = judged
            .stalls
            .iter()
            .map(|judged| (row(&judged.stall), judged.limit.limit_ns, judged.covered_by.is_some()))
            .collect();
        prop_assert_eq!(kept, over);
        let found = judged
            .reported
            .map(|judged| (row(&judged.stall), judged.limit.limit_ns, judged.covered_by.is_some()));
        prop_assert_eq!(found, reported(&case, &expected, &thresholds));
    }
}
