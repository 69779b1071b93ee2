//! Scenarios with known answers: a synchronous loop unless said, 0.2 ms for a scheduler call and 0.2 ms between steps.

use stepscope_recorder::{Limits, OptionalKind};

use super::quiet;
use crate::config::EngineConfig;
use crate::engine::Plan;
use crate::request::RequestSpec;
use crate::script::{Action, Event, PauseState, When, after_step, at};
use crate::step_time::StepTime;

const MS: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MS;

/// Step times in ms by scheduled tokens, as `(tokens, ms)`.
macro_rules! step_time {
    ($(($tokens:expr, $ms:expr)),*) => {
        StepTime { points: &[$(($tokens, $ms * MS)),*], per_member_ns: 0 }
    };
}

fn engine(max_num_batched_tokens: i64, step_time: StepTime) -> EngineConfig {
    EngineConfig { max_num_batched_tokens, step_time, ..EngineConfig::default() }
}

/// A (prompt 4,094) decodes 200 steps of 5 ms; B (prompt 65,528) prefills in 8 steps of 1,200 ms beside A's one token;
/// then both decode 200 steps of 5 ms.
pub(super) fn interference() -> Plan {
    let mut plan = quiet(engine(8192, step_time![(2, 5), (4094, 300), (8192, 1200)]));
    plan.scripted =
        vec![RequestSpec::new("A", 4094, 1 + 200 + 8 + 200), RequestSpec::new("B", 65_528, 1 + 200)];
    plan.arrivals = vec![(0, 0)];
    plan.events = vec![after_step(201, [Action::Admit(1)])];
    plan
}

/// K (prompt 1,000) decodes all along. R (prompt 4,000) prefills beside it in 2,047 + 1,953 tokens and decodes 99. Then
/// five times: its memory is taken away, ten steps of K alone go by, it is recomputed in three chunks and decodes 3.
pub(super) fn thrash() -> Plan {
    let config = EngineConfig { num_gpu_blocks: 1024, ..engine(2048, step_time![(7, 10), (2048, 150)]) };
    let mut plan = quiet(config);
    let (prefill, decodes, cycles) = (2, 99, 5);
    let cycle = 10 + 3 + 3;
    let steps = prefill + decodes + cycles * cycle;
    plan.scripted =
        vec![RequestSpec::new("K", 1000, 1 + steps), RequestSpec::new("R", 4000, 1 + decodes + 4 * cycles)];
    plan.arrivals = vec![(0, 0)];
    plan.events = vec![after_step(1, [Action::Admit(1)])];
    for number in 0..cycles {
        // All but what K needs.
        let taken = 1024 - 100;
        let first = u64::try_from(1 + prefill + decodes + number * cycle).unwrap_or_default();
        plan.events.push(after_step(first, [Action::TakeBlocks(taken)]));
        plan.events.push(after_step(first + 10, [Action::TakeBlocks(-taken)]));
    }
    plan
}

/// Four requests decode in steps of 12 ms; after each 1.5 s the next scheduler call comes 250 ms late.
pub(super) fn late_host() -> Plan {
    let mut plan = quiet(engine(8192, step_time![(1, 12)]));
    plan.scripted = (1..=4).map(|n| RequestSpec::new(format!("D{n}"), 100, 800)).collect();
    plan.arrivals = (0..4).map(|n| (0, n)).collect();
    plan.events = vec![Event { when: When::Each(1500 * MS), actions: vec![Action::Wait(250 * MS)] }];
    plan
}

/// Async scheduling: a finishes, one step without members, 2 s of nothing, then z.
pub(super) fn idle() -> Plan {
    let config = EngineConfig { async_scheduling: true, ..engine(8192, step_time![(1, 10)]) };
    let mut plan = quiet(config);
    plan.scripted = vec![RequestSpec::new("a", 100, 60), RequestSpec::new("z", 100, 60)];
    // The step without members completes when a's last does, at 0.6004 s.
    plan.arrivals = vec![(0, 0), (2_600_400_000, 1)];
    plan
}

/// Three requests decode; PAUSED_ALL for 4.2 s; a reset of the running requests inside it; the next step lists the three
/// as preempted and takes them back.
pub(super) fn pause_reset() -> Plan {
    let mut plan = quiet(engine(8192, step_time![(3, 10), (1203, 60)]));
    plan.scripted = (1..=3).map(|n| RequestSpec::new(format!("D{n}"), 300, 101 + 100)).collect();
    plan.arrivals = (0..3).map(|n| (0, n)).collect();
    let until_reset = 2 * SECOND;
    let reset = 5 * MS;
    plan.events = vec![after_step(
        101,
        [
            // 0.2 ms have passed since the step completed.
            Action::Wait(MS),
            Action::Pause(PauseState::PausedAll),
            Action::Wait(until_reset),
            Action::ResetCache { running: true, takes_ns: reset },
            Action::Wait(4200 * MS - until_reset - reset),
            Action::Pause(PauseState::Unpaused),
            Action::Wait(1_800_000),
        ],
    )];
    plan
}

pub(super) fn pause_unobserved() -> Plan {
    let mut plan = pause_reset();
    plan.config.observes.retain(|&kind| kind != OptionalKind::Pause);
    plan
}

/// One request decodes for 33 s. Five of 602 prompt tokens are aborted right after their prefill; two whose prompts do not
/// fit beside it are aborted after 30 s of waiting.
pub(super) fn aborts() -> Plan {
    let config = EngineConfig { num_gpu_blocks: 512, ..engine(8192, step_time![(1, 20), (3011, 120)]) };
    let mut plan = quiet(config);
    plan.scripted = vec![RequestSpec::new("long", 2000, 1650)];
    plan.scripted.extend((1..=5).map(|n| RequestSpec::new(format!("leaver{n}"), 602, 100)));
    plan.scripted.extend((1..=2).map(|n| RequestSpec::new(format!("waiter{n}"), 7000, 100)));
    plan.arrivals = vec![(0, 0), (SECOND, 6), (SECOND, 7)];
    let leave = (1..=5).map(|n| Action::Abort(format!("leaver{n}"))).collect::<Vec<_>>();
    let give_up = (1..=2).map(|n| Action::Abort(format!("waiter{n}"))).collect::<Vec<_>>();
    plan.events = vec![
        after_step(5, (1..=5).map(Action::Admit).collect::<Vec<_>>()),
        after_step(6, leave),
        at(31 * SECOND, give_up),
    ];
    plan
}

/// One request finishes; six whose grammars never compile come 10 s apart; 540 s of steps without members.
pub(super) fn drought() -> Plan {
    let config = EngineConfig { empty_gap_ns: 50 * MS, ..engine(8192, step_time![(1, 10)]) };
    let mut plan = quiet(config);
    plan.scripted = vec![RequestSpec::new("done", 100, 20)];
    plan.scripted.extend((1..=6).map(|n| RequestSpec {
        grammar_ns: Some(i64::MAX),
        ..RequestSpec::new(format!("grammar{n}"), 200, 100)
    }));
    let first = 5 * SECOND;
    plan.arrivals = vec![(0, 0)];
    plan.arrivals.extend((0..6).map(|n| (first + n * 10 * SECOND, 1 + n as usize)));
    plan.end_ns = Some(first + 540 * SECOND);
    plan
}

/// L (131,071 tokens) prefills in 16 steps of 220 ms; from 50 ms on ten requests of 200 tokens arrive, 1 ms apart.
pub(super) fn blocked_queue() -> Plan {
    let config = EngineConfig {
        // A prompt starts with no less than a block, so the one token that L leaves is nobody's.
        smallest_chunk: 16,
        wake_ns: 400_000,
        ..engine(8192, step_time![(11, 10), (8191, 220)])
    };
    let mut plan = quiet(config);
    plan.scripted = vec![RequestSpec::new("L", 131_071, 50)];
    plan.scripted.extend((0..10).map(|n| RequestSpec::new(format!("short{n}"), 200, 40)));
    plan.arrivals = vec![(0, 0)];
    plan.arrivals.extend((0..10).map(|n| ((50 + n) * MS, 1 + n as usize)));
    plan
}

/// Three requests in steps of 10 ms with the pause between, so that steps complete 0.2 ms before whole 10 ms.
fn three_decoding(max_tokens: i64) -> Plan {
    let step_time = StepTime { points: &[(1, 9_800_000)], per_member_ns: 0 };
    let mut plan = quiet(engine(8192, step_time));
    plan.scripted = (1..=3).map(|n| RequestSpec::new(format!("D{n}"), 100, max_tokens)).collect();
    plan.arrivals = (0..3).map(|n| (0, n)).collect();
    plan
}

/// The log is full after 2 MiB; 20 s later the process is killed.
pub(super) fn capped() -> Plan {
    let mut plan = three_decoding(100_000);
    plan.limits = Limits { epoch_bytes: 2 << 20, ..Limits::default() };
    plan.events = vec![at(40 * SECOND, [Action::Kill { torn: false }])];
    plan
}

/// Step 501 never completes; the heartbeats go on for 60 s.
pub(super) fn hang_in_step() -> Plan {
    let mut plan = three_decoding(100_000);
    plan.events = vec![
        after_step(500, [Action::Hang { in_step: true }]),
        at(65 * SECOND + 500 * MS, [Action::Kill { torn: false }]),
    ];
    plan
}

/// After step 500 nothing is scheduled; the heartbeats go on for 60 s.
pub(super) fn hang_between() -> Plan {
    let mut plan = hang_in_step();
    plan.events[0] = after_step(500, [Action::Hang { in_step: false }]);
    plan
}

/// 96 requests come 100 ms apart and decode 700 tokens each: with more than 64 of them a step takes twice as long.
pub(super) fn cliff() -> Plan {
    let mut plan = quiet(engine(8192, step_time![(64, 12), (65, 24), (128, 26)]));
    plan.scripted = (0..96).map(|n| RequestSpec::new(format!("cliff{n}"), 16, 700)).collect();
    plan.arrivals = (0..96).map(|n| (n * 100 * MS, n as usize)).collect();
    plan
}
