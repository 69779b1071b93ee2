//! Names of fields, and a guess at the next one: lines of one kind repeat their order.

use crate::json::{Fault, Literal, Scanner};
use crate::tables::KINDS;

macro_rules! fields {
    ($index:ident, $names:ident: $($field:ident = $name:literal),* $(,)?) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        pub(super) enum $index { $($field),* }
        /// Names as they stand in a compact line.
        pub(super) const $names: &[Literal] = &[$(Literal::new(concat!("\"", $name, "\":"))),*];
    };
}

fields! { Top, TOP:
    FORMAT = "format", KIND = "kind", EPOCH = "epoch", SEQ = "seq", INTERNAL = "internal", EXTERNAL = "external",
    WALL = "wall_ns", MONO = "mono_ns", AFTER = "wall_after_ns", STRUCTURED_OUTPUT = "structured_output",
    RESUMABLE = "resumable", ITERATION = "iteration", START_WALL = "start_wall_ns", START_MONO = "start_mono_ns",
    START_AFTER = "start_wall_after_ns", END_WALL = "end_wall_ns", END_MONO = "end_mono_ns",
    END_AFTER = "end_wall_after_ns", TOTAL_TOKENS = "total_tokens", ZERO_TOKEN = "zero_token",
    PREEMPTED = "preempted", PAUSE_STATE = "pause_state", MEMBERS = "members", UPDATE_FAILED = "update_failed",
    STATUS = "status", FINISH_REASON = "finish_reason", OUTPUT_TOKENS = "output_tokens", FROM = "from", TO = "to",
    RESET_RUNNING = "reset_running_requests", RESET_CONNECTOR = "reset_connector", RUNNING = "running",
    SUCCEEDED = "succeeded", RAISED = "raised", LAST_SEQ = "last_seq", DROPPED = "dropped", ERRORS = "errors",
    BYTES = "bytes", CAPPED = "capped", QUEUED = "queued", PENDING = "pending", RESERVED = "reserved",
    RANGE_MISSES = "range_misses", STARTUP_UNRANGED = "startup_unranged", PENDING_SAMPLES = "pending_samples",
}

fields! { Of, MEMBER:
    INTERNAL = "internal", SIGHTING = "sighting", PHASE = "phase", SCHEDULED = "scheduled",
    COMPUTED_BEFORE = "computed_before", PROMPT_TOKENS = "prompt_tokens", PREFILL_SCHEDULED = "prefill_scheduled",
    PAST_PROMPT_SCHEDULED = "past_prompt_scheduled", DRAFTS_SCHEDULED = "drafts_scheduled",
    CACHED_AT_ADMISSION = "cached_at_admission", RECOMPUTE = "recompute", OUTPUT_BEFORE = "output_before",
    RESUMABLE = "resumable", OUTCOME = "outcome", STALE = "stale", SAMPLED = "sampled",
    ACCEPTED_DRAFTS = "accepted_drafts", RETAINED = "retained", FINISH_REASON = "finish_reason",
    COMPUTED_AFTER = "computed_after",
}

pub(super) const TOP_LEN: usize = Top::PENDING_SAMPLES as usize + 1;
pub(super) const MEMBER_LEN: usize = Of::COMPUTED_AFTER as usize + 1;
/// Stands for a name that no table has; it is also the place before the first name.
pub(super) const OTHER_NAME: usize = 63;

/// Guesses the next name from the one before it: lines of one kind repeat their order.
pub(super) struct Order {
    names: &'static [Literal],
    next: [[u8; OTHER_NAME + 1]; KINDS + 1],
}

impl Order {
    pub(super) fn new(names: &'static [Literal]) -> Self {
        Self { names, next: [[0; OTHER_NAME + 1]; KINDS + 1] }
    }

    /// Passes over a name and its colon.
    #[inline(always)]
    pub(super) fn name(
        &mut self,
        scanner: &mut Scanner<'_>,
        kind: usize,
        before: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<usize, Fault> {
        let guess = usize::from(self.next[kind][before]);
        if scanner.literal(&self.names[guess]) {
            return Ok(guess);
        }
        self.any_name(scanner, kind, before, buffer)
    }

    #[cold]
    #[inline(never)]
    fn any_name(
        &mut self,
        scanner: &mut Scanner<'_>,
        kind: usize,
        before: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<usize, Fault> {
        let name = scanner.name()?;
        let name = name.bytes(buffer);
        let unquoted = |known: &Literal| &known.text().as_bytes()[1..known.text().len() - 2];
        let found = self.names.iter().position(|known| unquoted(known) == name);
        if let Some(found) = found {
            self.next[kind][before] = found as u8;
        }
        Ok(found.unwrap_or(OTHER_NAME))
    }
}
