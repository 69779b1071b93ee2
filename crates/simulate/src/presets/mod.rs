//! What can be shown, by name.

mod loads;
mod scenarios;

use stepscope_recorder::Limits;

use crate::config::EngineConfig;
use crate::engine::Plan;
use crate::workload::Pace;
use crate::{Options, SimulateError};

/// An epoch that can be generated.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Its name, after what it shows.
    pub name: &'static str,
    /// What happens in it, in a sentence.
    pub about: &'static str,
    /// Whether seconds, rate and size can be chosen.
    pub is_adjustable: bool,
    plan: fn() -> Plan,
}

const fn scenario(name: &'static str, about: &'static str, plan: fn() -> Plan) -> Preset {
    Preset { name, about, is_adjustable: false, plan }
}

const fn load(name: &'static str, about: &'static str, plan: fn() -> Plan) -> Preset {
    Preset { name, about, is_adjustable: true, plan }
}

const PRESETS: &[Preset] = &[
    scenario(
        "interference",
        "A long prompt prefills in eight steps of 1.2 s while another request decodes",
        scenarios::interference,
    ),
    scenario(
        "thrash",
        "One request is preempted and recomputed five times while another decodes",
        scenarios::thrash,
    ),
    scenario("late-host", "Six times the host is 250 ms late with the next step", scenarios::late_host),
    scenario(
        "idle",
        "Two seconds in which nobody asks for anything, under async scheduling",
        scenarios::idle,
    ),
    scenario(
        "pause-reset",
        "A pause of 4.2 s with a cache reset inside that preempts the three running requests",
        scenarios::pause_reset,
    ),
    scenario("pause-unobserved", "The same, recorded without observing pauses", scenarios::pause_unobserved),
    scenario(
        "aborts",
        "Five requests are aborted after their prefill, two after waiting for 30 s, one ends by length",
        scenarios::aborts,
    ),
    scenario("drought", "Six requests wait nine minutes for grammars that never compile", scenarios::drought),
    scenario(
        "blocked-queue",
        "A prompt of 131,071 tokens takes the whole budget of 16 steps while ten short requests wait",
        scenarios::blocked_queue,
    ),
    scenario(
        "capped",
        "The log reaches its size limit; the server goes on and is killed later",
        scenarios::capped,
    ),
    scenario("hang-in-step", "A step never completes, for 60 s of heartbeats", scenarios::hang_in_step),
    scenario(
        "hang-between",
        "The host schedules nothing any more, for 60 s of heartbeats",
        scenarios::hang_between,
    ),
    scenario("cliff", "Steps of more than 64 members take twice as long", scenarios::cliff),
    load("steady", "Requests arrive at random, four a second; nothing is wrong", loads::steady),
    load("heavy", "256 clients, each asking again as soon as it has its answer", loads::heavy),
    load("async", "As steady, the next step scheduled while one runs", loads::async_scheduling),
    load("memory", "More requests than KV memory: preemptions and recomputes", loads::memory),
    load("prefix-cache", "Most prompts begin with one of a few long prefixes", loads::prefix_cache),
    load("speculation", "Four drafts a step, of which fewer and fewer are accepted", loads::speculation),
    load("streaming", "Requests whose input comes in several parts", loads::streaming),
    load(
        "impatient",
        "Clients that go away before their answer is whole, and grammars to wait for",
        loads::impatient,
    ),
    load("stalls", "Stalls of every locus: in schedule, within a step, between steps", loads::stalls),
    load(
        "control",
        "Pauses of both kinds and cache resets, with running requests and without",
        loads::control,
    ),
    load("lossy", "The disk stands still for three seconds and records are dropped", loads::lossy),
    load("killed", "The process is killed in the middle of writing a line", loads::killed),
    load("crashed", "Processing an output fails and the engine ends", loads::crashed),
    load("mixture", "Everything at once, under async scheduling", loads::mixture),
];

/// All presets: first the scenarios with fixed times and counts, then the loads that can be adjusted.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

pub(crate) fn plan(name: &str, options: &Options) -> Result<Plan, SimulateError> {
    let preset = PRESETS.iter().find(|preset| preset.name == name);
    let preset = preset.ok_or_else(|| SimulateError::NoSuchPreset(name.to_owned()))?;
    let mut plan = (preset.plan)();
    let is_asked = options.seconds.is_some() || options.rate.is_some() || options.size_bytes.is_some();
    if is_asked && !preset.is_adjustable {
        return Err(SimulateError::NotAdjustable(preset.name));
    }
    let positive = |value: Option<f64>, name: &'static str| match value {
        Some(value) if !(value > 0.0 && value < 1e9) => Err(SimulateError::OutOfRange(name)),
        value => Ok(value),
    };
    let seconds = positive(options.seconds, "seconds")?;
    let rate = positive(options.rate, "rate")?;
    if let Some(workload) = &mut plan.workload {
        if let Some(seconds) = seconds {
            workload.until_ns = (seconds * 1e9) as i64;
        } else if options.size_bytes.is_some() {
            workload.until_ns = i64::MAX;
        }
        if let Some(rate) = rate {
            workload.pace = Pace::Open { mean_ns: ((1e9 / rate) as i64).max(1) };
        }
    }
    if let Some(bytes) = options.size_bytes {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        plan.end_bytes = Some(bytes);
        plan.limits.epoch_bytes = plan.limits.epoch_bytes.max(bytes.saturating_add(64 << 20));
    }
    Ok(plan)
}

/// A plan in which nothing happens yet.
fn quiet(config: EngineConfig) -> Plan {
    Plan {
        config,
        limits: Limits::default(),
        scripted: Vec::new(),
        arrivals: Vec::new(),
        workload: None,
        events: Vec::new(),
        end_ns: None,
        end_bytes: None,
    }
}
