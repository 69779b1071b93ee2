//! Why a verdict does not suffice (`diagnose.md` §10).

use serde::Serialize;
use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{Epoch, Kind};

use crate::coverage::Loss;
use crate::steps::Steps;
use crate::window::Window;

/// A reason, in the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The records are of more than one epoch.
    EpochChanged,
    /// A hole in the numbering, a rising count of dropped records, or a record that could not be taken (S5).
    HookRecordsDropped,
    /// The writer's count of errors changed.
    HookWriterErrors,
    /// The writer reached its disk cap.
    HookCapped,
    /// There are steps, none completed.
    TooFewSteps,
    /// There is no step.
    RequiresHook,
    /// The stall reported is over its limit and records may be missing in it.
    HookCoverageUnknown,
    /// The stall reported is over its limit, may be a pause, and pauses are not recorded.
    PauseStateUnknown,
}

impl Reason {
    /// As the verdict writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::EpochChanged => "epoch_changed",
            Self::HookRecordsDropped => "hook_records_dropped",
            Self::HookWriterErrors => "hook_writer_errors",
            Self::HookCapped => "hook_capped",
            Self::TooFewSteps => "too_few_steps",
            Self::RequiresHook => "requires_hook",
            Self::HookCoverageUnknown => "hook_coverage_unknown",
            Self::PauseStateUnknown => "pause_state_unknown",
        }
    }
}

/// The reasons that do not depend on a stall. `dropped_records`: records that could not be taken.
pub(crate) fn record_reasons(
    window: &Window<'_>,
    mixed_epochs: bool,
    capped: bool,
    losses: &[Loss],
    steps: &Steps,
    dropped_records: usize,
) -> Vec<Reason> {
    let changed = |of: fn(&Loss) -> i64| losses.windows(2).any(|pair| of(&pair[0]) != of(&pair[1]));
    let dropped = dropped_records > 0 || has_hole(window) || changed(|loss| loss.dropped);
    let none_completed = !steps.is_empty() && steps.completed().next().is_none();
    [
        (mixed_epochs, Reason::EpochChanged),
        (dropped, Reason::HookRecordsDropped),
        (changed(|loss| loss.errors), Reason::HookWriterErrors),
        (capped, Reason::HookCapped),
        (none_completed, Reason::TooFewSteps),
        (steps.is_empty(), Reason::RequiresHook),
    ]
    .into_iter()
    .filter_map(|(holds, reason)| holds.then_some(reason))
    .collect()
}

/// Whether the numbers of the records other than hello leave one out. A hello between others leaves one too.
fn has_hole(window: &Window<'_>) -> bool {
    let mut before: Option<i64> = None;
    window.records().filter(|&(_, kind)| kind != Kind::Hello as u8).any(|(seq, _)| {
        let hole = before.is_some_and(|before| before.checked_add(1) != Some(seq));
        before = Some(seq);
        hole
    })
}

/// Whether the hook is known to record pauses (R3): as the epoch's hello says, or the first hello of the records.
pub(crate) fn observes_pauses(window: &Window<'_>, with_hello: bool) -> bool {
    let epoch: &Epoch = window.epoch;
    match epoch.hello.as_ref().filter(|_| with_hello) {
        Some(hello) => says_pause(&hello.json),
        None => window
            .rows(Kind::Hello)
            .next()
            .is_some_and(|row| says_pause(epoch.strings.get(epoch.log.hello.json.text[row]))),
    }
}

/// Whether `observes` contains `pause`, as the reference asks: also as a part of a string or as a name of an object.
fn says_pause(hello: &[u8]) -> bool {
    const PAUSE: &[u8] = b"pause";
    let hello = Value::parse(hello);
    match hello.as_ref().ok().and_then(|hello| hello.get("observes")) {
        Some(Value::Array(kinds)) => {
            kinds.iter().any(|kind| matches!(kind, Value::String(name) if name == PAUSE))
        }
        Some(Value::String(text)) => text.windows(PAUSE.len()).any(|part| part == PAUSE),
        Some(object @ Value::Object(_)) => object.get("pause").is_some(),
        _ => false,
    }
}
