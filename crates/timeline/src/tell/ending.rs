//! How the log ends, in one sentence (`insight.md` §3, log end). A log that ends early is never called a hang: that
//! is what the stalls are for.

use stepscope_epoch_log::{Epoch, State};

use super::words::{bytes, counted, moment};
use crate::model::Timeline;

/// How a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Orderly, by a goodbye.
    Goodbye,
    /// The writer reached its limit and wrote no more.
    Capped,
    /// No goodbye, and the writer is known to be gone.
    Killed,
    /// The writer was heard from less than 30 s before the log was read.
    Going,
    /// No goodbye, and whether the writer lives cannot be told from here.
    Open,
}

impl Ending {
    /// How an epoch's log ends.
    pub fn of(epoch: &Epoch) -> Self {
        if epoch.goodbye.is_some() {
            Self::Goodbye
        } else if epoch.status.as_ref().is_some_and(|status| status.capped) {
            Self::Capped
        } else {
            match epoch.state {
                State::Goodbye => Self::Goodbye,
                State::ServerStopped | State::Silence | State::NoHeartbeat => Self::Killed,
                State::Heartbeat => Self::Going,
                State::OtherHost | State::ImporterBootUnknown => Self::Open,
            }
        }
    }
}

impl Timeline {
    /// How the log ends, as a clause: `ended by goodbye`.
    pub(crate) fn ending(&self) -> String {
        match Ending::of(&self.epoch) {
            Ending::Goodbye => "ended by goodbye".to_owned(),
            Ending::Capped => self.capped(),
            Ending::Killed => {
                format!(
                    "no goodbye: the process was killed or died; last sign of life at {}",
                    self.last_sign()
                )
            }
            Ending::Going => {
                format!("still going when it was read; last sign of life at {}", self.last_sign())
            }
            Ending::Open => {
                let torn = if self.epoch.truncated { " inside a line" } else { "" };
                format!(
                    "ends{torn} at {} without a goodbye: the process was killed, or ran on when the files were copied",
                    moment(self.clock.end(), 1)
                )
            }
        }
    }

    fn capped(&self) -> String {
        let status = self.epoch.status.as_ref();
        let dropped: i64 = status.map_or(0, |status| status.dropped.iter().map(|(_, count)| count).sum());
        let lost = if dropped > 0 {
            format!(", {} not written since", counted(dropped, "record"))
        } else {
            String::new()
        };
        format!(
            "the log ends at {}: capped at {}{lost}",
            moment(self.clock.end(), 1),
            bytes(self.epoch.bytes)
        )
    }

    /// The writer's last stamp, on the epoch's clock.
    fn last_sign(&self) -> String {
        let seen = self.epoch.last_seen_mono_ns.map_or(self.clock.end(), |mono| self.clock.at(mono));
        moment(seen, 1)
    }

    /// The state in words, for the list of epochs.
    pub(crate) fn state_text(&self) -> String {
        match Ending::of(&self.epoch) {
            Ending::Goodbye => "ended".to_owned(),
            Ending::Capped => "capped: the log ends before the server did".to_owned(),
            Ending::Killed => "killed or died".to_owned(),
            Ending::Going => "still going".to_owned(),
            Ending::Open => "no goodbye".to_owned(),
        }
    }
}
