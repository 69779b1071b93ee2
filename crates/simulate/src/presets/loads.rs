//! Loads: random requests, with something to see in each.

use stepscope_recorder::Limits;

use super::quiet;
use crate::config::{EngineConfig, Speculation};
use crate::engine::Plan;
use crate::script::{Action, PauseState, at};
use crate::step_time::StepTime;
use crate::workload::{Pace, Workload};

const MS: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MS;

/// An engine about as fast as one large accelerator with a model of some billions of weights.
fn engine() -> EngineConfig {
    EngineConfig {
        ingress_ns: 400_000,
        step_time: StepTime {
            points: &[(1, 9 * MS), (256, 12 * MS), (2048, 45 * MS), (8192, 180 * MS)],
            per_member_ns: 20_000,
        },
        jitter_permille: 40,
        ..EngineConfig::default()
    }
}

fn with(config: EngineConfig, workload: Workload) -> Plan {
    Plan { workload: Some(workload), ..quiet(config) }
}

pub(super) fn steady() -> Plan {
    with(engine(), Workload::default())
}

pub(super) fn heavy() -> Plan {
    let workload = Workload {
        pace: Pace::Closed { clients: 256, think_ns: 0 },
        until_ns: 5 * SECOND,
        prompt_tokens: (64, 1024),
        output_tokens: (64, 512),
        ..Workload::default()
    };
    with(engine(), workload)
}

pub(super) fn async_scheduling() -> Plan {
    with(EngineConfig { async_scheduling: true, ..engine() }, Workload::default())
}

pub(super) fn memory() -> Plan {
    let config = EngineConfig { num_gpu_blocks: 300, max_num_seqs: 64, ..engine() };
    let workload = Workload {
        pace: Pace::Closed { clients: 24, think_ns: 100 * MS },
        output_tokens: (64, 512),
        stopping: 300,
        ..Workload::default()
    };
    with(config, workload)
}

pub(super) fn prefix_cache() -> Plan {
    let config = EngineConfig { num_gpu_blocks: 2_000, ..engine() };
    let workload = Workload { prefixes: (800, 6, 2_000), prompt_tokens: (16, 200), ..Workload::default() };
    with(config, workload)
}

pub(super) fn speculation() -> Plan {
    let acceptance = &[(0, 850), (10 * SECOND, 700), (20 * SECOND, 350)];
    let config = EngineConfig { speculation: Some(Speculation { drafts: 4, acceptance }), ..engine() };
    with(config, Workload::default())
}

pub(super) fn streaming() -> Plan {
    with(engine(), Workload { streaming: 500, output_tokens: (8, 64), ..Workload::default() })
}

pub(super) fn impatient() -> Plan {
    with(engine(), Workload { aborting: 300, grammar: (300, 2 * SECOND), ..Workload::default() })
}

pub(super) fn stalls() -> Plan {
    let mut plan = steady();
    plan.events = vec![
        at(6 * SECOND, [Action::SlowSchedule(400 * MS)]),
        at(9 * SECOND, [Action::SlowStep(700 * MS)]),
        at(12 * SECOND, [Action::Wait(900 * MS)]),
        at(18 * SECOND, [Action::SlowStep(1500 * MS)]),
        at(24 * SECOND, [Action::SlowSchedule(250 * MS), Action::Wait(250 * MS)]),
    ];
    plan
}

pub(super) fn control() -> Plan {
    let mut plan = steady();
    let pause = |state, ns| [Action::Pause(state), Action::Wait(ns), Action::Pause(PauseState::Unpaused)];
    plan.events = vec![
        at(4 * SECOND, pause(PauseState::PausedAll, 800 * MS)),
        at(8 * SECOND, [Action::Pause(PauseState::PausedNew)]),
        at(10 * SECOND, [Action::Pause(PauseState::Unpaused)]),
        at(13 * SECOND, [Action::ResetCache { running: false, takes_ns: 3 * MS }]),
        at(16 * SECOND, [Action::ResetCache { running: true, takes_ns: 4 * MS }]),
        at(20 * SECOND, pause(PauseState::PausedAll, 2 * SECOND)),
    ];
    plan
}

pub(super) fn lossy() -> Plan {
    let mut plan = steady();
    plan.limits = Limits { queue_records: 100, ..Limits::default() };
    plan.events = vec![at(12 * SECOND, [Action::StallWriter(3 * SECOND)])];
    plan
}

pub(super) fn killed() -> Plan {
    let mut plan = steady();
    plan.events = vec![at(20 * SECOND, [Action::Kill { torn: true }])];
    plan
}

pub(super) fn crashed() -> Plan {
    let mut plan = steady();
    plan.events = vec![at(15 * SECOND, [Action::FailUpdate])];
    plan
}

pub(super) fn mixture() -> Plan {
    let mut plan = control();
    plan.config = EngineConfig { async_scheduling: true, num_gpu_blocks: 700, max_num_seqs: 48, ..engine() };
    plan.workload = Some(Workload {
        pace: Pace::Open { mean_ns: 110 * MS },
        prefixes: (300, 4, 300),
        aborting: 100,
        streaming: 100,
        grammar: (100, 500 * MS),
        ..Workload::default()
    });
    plan.events.extend([
        at(6 * SECOND, [Action::SlowSchedule(400 * MS)]),
        at(11 * SECOND, [Action::SlowStep(900 * MS)]),
        at(18 * SECOND, [Action::Wait(600 * MS)]),
    ]);
    plan
}
