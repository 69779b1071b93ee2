//! When the scheduler was paused, on the monotonic clock (`raw-log.md` §6.7).

use stepscope_epoch_log::{Epoch, TextId, word};

use super::clock::Clock;

/// A span between two changes in which the state was not `UNPAUSED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseSpan {
    /// Start.
    pub start: i64,
    /// End; of an open one, the end of the log.
    pub end: i64,
    /// The state's name.
    pub state: TextId,
    /// No later change closes it.
    pub open: bool,
}

/// The pauses of an epoch in the order written. A change without a stamp or a name changes nothing.
pub(crate) fn of(epoch: &Epoch, clock: Clock) -> Vec<PauseSpan> {
    let changes = &epoch.log.pause;
    let mut pauses: Vec<PauseSpan> = Vec::new();
    let mut state: Option<(i64, TextId)> = None;
    for row in 0..changes.seq.len() {
        let (Some(at), Some(to)) = (clock.of_row(&changes.at.mono, row), changes.to.text(row)) else {
            continue;
        };
        if let Some((start, was)) = state {
            if was == to {
                continue;
            }
            pauses.push(PauseSpan { start, end: at.max(start), state: was, open: false });
        }
        state = (to != word::UNPAUSED).then_some((at, to));
    }
    if let Some((start, state)) = state {
        pauses.push(PauseSpan { start, end: clock.end().max(start), state, open: true });
    }
    pauses
}
