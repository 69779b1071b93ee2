//! How an epoch is judged (`diagnose.md` §1).

use crate::rules::Rules;
use crate::thresholds::Thresholds;

/// The options of one verdict. The default is the reference's: everything the options leave out is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Evaluation time, wall ns, for a stall still going on; `None`: no stall is still going on.
    pub now_wall_ns: Option<i64>,
    /// Wall intervals (start, end), ns, in which the caller knows that there was no ready work.
    pub exclude_wall: Vec<(i64, i64)>,
    /// Thresholds, with overrides or without.
    pub thresholds: Thresholds,
    /// Whether the epoch's `status.json` is looked at (`hook_capped`).
    pub with_status: bool,
    /// Whether the epoch's hello says which kinds are recorded (R3), also when it is not among the records judged.
    pub with_hello: bool,
    /// So many records are left out at the front of the epoch, the hello among them.
    pub tail_from: usize,
    /// The caller knows the records to come from more than one epoch. No reader of folders mixes epochs.
    pub mixed_epochs: bool,
    /// Which rule set.
    pub rules: Rules,
}

impl Config {
    /// What a person is told about an epoch: the corrected rules, with the epoch's status and hello.
    pub fn corrected(now_wall_ns: Option<i64>) -> Self {
        Self { now_wall_ns, with_status: true, with_hello: true, rules: Rules::Corrected, ..Self::default() }
    }
}
