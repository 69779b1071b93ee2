//! References and times as records have them (`reduce.md` P2, §15).

use stepscope_epoch_log::Tables;

use crate::executions::{Execution, NONE};
use crate::facts::RunRequest;
use crate::record::{Ownership, Ref};

/// The request an attempt belongs to (P2).
pub(crate) fn request_ref<'r>(
    execution: &'r Execution,
    attempt: Ref<'r>,
    requests: &'r [RunRequest],
) -> Ref<'r> {
    match &execution.binding.run {
        Some((request, _)) if execution.ownership() == Ownership::Run => {
            Ref { producer_id: b"stormlog", id: &requests[*request as usize].request_id }
        }
        _ => Ref { producer_id: execution.ownership().name().as_bytes(), id: attempt.id },
    }
}

/// The latest `seq` that says something about a request with memberships (§10.5).
pub(crate) fn source_seq_max(execution: &Execution, log: &Tables) -> i64 {
    let seq = |seqs: &[i64], row: u32| if row == NONE { i64::MIN } else { seqs[row as usize] };
    execution
        .min_final_seq
        .max(seq(&log.alias.seq, execution.alias))
        .max(seq(&log.enqueued.seq, execution.enqueued))
}

/// A time or a count of a record: a negative one counts as not known (§15).
#[inline]
pub(crate) fn plain(value: Option<i64>) -> Option<i64> {
    value.filter(|&value| value >= 0)
}
