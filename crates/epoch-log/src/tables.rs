//! The log's records as tables of columns, one table a kind (`raw-log.md` §6). Rows stand in `seq` order in an
//! epoch, in reading order in the block of one segment.

use std::ops::Range;

use crate::column::{Cell, Columns, Flags, Grouped, Ints, Names, Remap, Sizes, Texts};
use crate::wire::{Damaged, Reader};

macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* }

        impl Columns for $name {
            fn extend_rows(&mut self, from: &Self, rows: Range<usize>, texts: &Remap) {
                $(self.$field.extend_rows(&from.$field, rows.clone(), texts);)*
            }
            fn encode(&self, out: &mut Vec<u8>) {
                $(self.$field.encode(out);)*
            }
            fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged> {
                Ok(Self { $($field: <$type>::decode(input)?),* })
            }
            fn heap_bytes(&self) -> usize {
                0 $(+ self.$field.heap_bytes())*
            }
            fn sizes(&self, told: &mut Vec<usize>) {
                $(self.$field.sizes(told);)*
            }
            fn make_room(&mut self, sizes: &mut Sizes<'_>) {
                $(self.$field.make_room(sizes);)*
            }
        }
    };
}

/// The ten kinds of the format, and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The recorder attached, or was refused (`raw-log.md` §6.1).
    Hello,
    /// A request was admitted (§6.2).
    Alias,
    /// A request was handed to the scheduler (§6.3).
    Enqueued,
    /// A scheduler call returned (§6.4).
    Scheduled,
    /// A step's output was processed (§6.5).
    Completed,
    /// A request is about to be freed (§6.6).
    Terminal,
    /// The pause state changed (§6.7).
    Pause,
    /// A prefix-cache reset returned or failed (§6.8).
    CacheReset,
    /// The writer is alive (§6.9).
    Heartbeat,
    /// Orderly close (§6.10).
    Goodbye,
    /// A kind this version does not know (K1).
    Unknown,
}

/// How many [`Kind`]s there are.
pub const KINDS: usize = 11;

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Kind; KINDS] = [
        Kind::Hello,
        Kind::Alias,
        Kind::Enqueued,
        Kind::Scheduled,
        Kind::Completed,
        Kind::Terminal,
        Kind::Pause,
        Kind::CacheReset,
        Kind::Heartbeat,
        Kind::Goodbye,
        Kind::Unknown,
    ];

    /// The kind's name in the log; of [`Kind::Unknown`], nothing in it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Hello => "hello",
            Kind::Alias => "alias",
            Kind::Enqueued => "enqueued",
            Kind::Scheduled => "scheduled",
            Kind::Completed => "completed",
            Kind::Terminal => "terminal",
            Kind::Pause => "pause",
            Kind::CacheReset => "cache_reset",
            Kind::Heartbeat => "heartbeat",
            Kind::Goodbye => "goodbye",
            Kind::Unknown => "unknown",
        }
    }
}

/// A bracketed stamp (`raw-log.md` §5), ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stamps {
    /// Wall clock before.
    pub wall: Ints<i64>,
    /// Monotonic clock.
    pub mono: Ints<i64>,
    /// Wall clock after, as the difference from `wall` where both are integers.
    width: Ints<u32>,
}

impl Stamps {
    pub(crate) fn push(&mut self, wall: Cell<i64>, mono: Cell<i64>, after: Cell<i64>) {
        self.width.push(match (wall, after) {
            (Cell::Is(wall), Cell::Is(after)) => Cell::Is(after.wrapping_sub(wall)),
            (_, after) => after,
        });
        self.wall.push(wall);
        self.mono.push(mono);
    }

    /// Wall clock after; absent in older logs.
    pub fn wall_after(&self, row: usize) -> Cell<i64> {
        match (self.wall.int(row), self.width.cell(row)) {
            (Some(wall), Cell::Is(width)) => Cell::Is(wall.wrapping_add(width)),
            (_, cell) => cell,
        }
    }
}

impl Columns for Stamps {
    fn extend_rows(&mut self, from: &Self, rows: Range<usize>, texts: &Remap) {
        self.wall.extend_rows(&from.wall, rows.clone(), texts);
        self.mono.extend_rows(&from.mono, rows.clone(), texts);
        self.width.extend_rows(&from.width, rows, texts);
    }
    fn encode(&self, out: &mut Vec<u8>) {
        self.wall.encode(out);
        self.mono.encode(out);
        self.width.encode(out);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged> {
        Ok(Self { wall: Ints::decode(input)?, mono: Ints::decode(input)?, width: Ints::decode(input)? })
    }
    fn heap_bytes(&self) -> usize {
        self.wall.heap_bytes() + self.mono.heap_bytes() + self.width.heap_bytes()
    }
    fn sizes(&self, told: &mut Vec<usize>) {
        self.wall.sizes(told);
        self.mono.sizes(told);
        self.width.sizes(told);
    }
    fn make_room(&mut self, sizes: &mut Sizes<'_>) {
        self.wall.make_room(sizes);
        self.mono.make_room(sizes);
        self.width.make_room(sizes);
    }
}

table! {
    /// `hello` records.
    Hellos {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// The whole record as it stands in the log.
        json: Names,
    }
}

table! {
    /// `alias` records.
    Aliases {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// The engine's request ID.
        internal: Names,
        /// The client-facing request ID.
        external: Texts<u32>,
        /// At admission.
        at: Stamps,
    }
}

table! {
    /// `enqueued` records.
    Enqueued {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// The engine's request ID.
        internal: Names,
        /// Output is constrained to a grammar.
        structured_output: Flags,
        /// Streaming-input request.
        resumable: Flags,
        /// Just before the scheduler took the request.
        at: Stamps,
    }
}

table! {
    /// `scheduled` records: one a step.
    Scheduled {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// Name of the step.
        iteration: Names,
        /// Before the scheduler call.
        start: Stamps,
        /// After it returned.
        end: Stamps,
        /// Tokens scheduled in the step.
        total_tokens: Ints<u32>,
        /// `total_tokens` is 0.
        zero_token: Flags,
        /// IDs the step preempted.
        preempted: Grouped<Names>,
        /// Scheduler pause state right after the call.
        pause_state: Texts<u8>,
        /// Who shares the step, in the engine's order.
        members: Grouped<Members>,
    }
}

table! {
    /// Members of `scheduled` records. Token counts.
    Members {
        /// The engine's request ID.
        internal: Names,
        /// `first` or `repeat`.
        sighting: Texts<u8>,
        /// `context` or `generation`.
        phase: Texts<u8>,
        /// Tokens scheduled for it.
        scheduled: Ints<u32>,
        /// Tokens already computed when scheduled.
        computed_before: Ints<u32>,
        /// Prompt length.
        prompt_tokens: Ints<u32>,
        /// Part of `scheduled` inside the prompt.
        prefill_scheduled: Ints<u32>,
        /// The rest.
        past_prompt_scheduled: Ints<u32>,
        /// Speculative tokens among `scheduled`.
        drafts_scheduled: Ints<u8>,
        /// `computed_before` at the first sighting.
        cached_at_admission: Ints<u32>,
        /// Works below context it had already committed.
        recompute: Flags,
        /// Output tokens so far.
        output_before: Ints<u32>,
        /// Streaming-input request.
        resumable: Flags,
    }
}

table! {
    /// `completed` records.
    Completed {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// Name of the step.
        iteration: Names,
        /// After the engine processed the output.
        at: Stamps,
        /// Present only when processing raised.
        update_failed: Flags,
        /// What came of each member, in scheduled order.
        members: Grouped<Outcomes>,
    }
}

table! {
    /// Members of `completed` records. Token counts.
    Outcomes {
        /// The engine's request ID.
        internal: Names,
        /// `kept`, `discarded_finished`, `dropped_stale`, `unknown`.
        outcome: Texts<u8>,
        /// Output belonged to an earlier state of the request.
        stale: Flags,
        /// Tokens sampled for it.
        sampled: Ints<u8>,
        /// Speculative tokens accepted.
        accepted_drafts: Ints<u8>,
        /// Tokens sent to the client for this step.
        retained: Ints<u8>,
        /// For instance `stop`, `length`.
        finish_reason: Texts<u8>,
        /// Context committed by the step.
        computed_after: Ints<u32>,
    }
}

table! {
    /// `terminal` records.
    Terminals {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// The engine's request ID.
        internal: Names,
        /// Engine status name.
        status: Texts<u8>,
        /// Finish reason.
        finish_reason: Texts<u8>,
        /// Output tokens at that moment.
        output_tokens: Ints<u32>,
        /// Before the engine frees it.
        at: Stamps,
    }
}

table! {
    /// `pause` records.
    Pauses {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// State before.
        from: Texts<u8>,
        /// State requested.
        to: Texts<u8>,
        /// After the change.
        at: Stamps,
    }
}

table! {
    /// `cache_reset` records.
    CacheResets {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// Asked to preempt running requests too.
        reset_running_requests: Flags,
        /// Asked to reset the connector.
        reset_connector: Flags,
        /// IDs running before the call, in the engine's order.
        running: Grouped<Names>,
        /// Before the call.
        start: Stamps,
        /// Its result.
        succeeded: Flags,
        /// Whether it raised.
        raised: Flags,
        /// After it.
        end: Stamps,
    }
}

table! {
    /// `heartbeat` records.
    Heartbeats {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// Read under the same lock as the counters.
        at: Stamps,
        /// `seq` of the record written before.
        last_seq: Ints<i64>,
        /// The `dropped` object as it stands in the log (records by drop name).
        dropped: Texts<u8>,
        /// Errors of the writer.
        errors: Ints<u8>,
        /// Record bytes written before.
        bytes: Ints<i64>,
        /// The disk cap was reached.
        capped: Flags,
        /// Records in the queue.
        queued: Ints<u32>,
        /// Queue, rest of the batch and reserved.
        pending: Ints<u32>,
        /// Announced, neither queued nor dropped.
        reserved: Ints<u32>,
        /// Workers: serving calls that ran without an iteration.
        range_misses: Ints<i64>,
        /// Workers: calls without an iteration before the first serving step.
        startup_unranged: Ints<i64>,
        /// Workers: steps that ran and wait for their sampling call.
        pending_samples: Ints<i64>,
    }
}

table! {
    /// `goodbye` records.
    Goodbyes {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// When written.
        at: Stamps,
        /// Its own `seq`.
        last_seq: Ints<i64>,
    }
}

table! {
    /// Records of other kinds, kept as they are.
    Unknown {
        /// Position in the epoch.
        seq: Vec<i64>,
        /// The kind's name.
        kind: Names,
        /// The whole record as it stands in the log.
        json: Names,
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $kind:ident $field:ident: $type:ty),* $(,)?) => {
        /// All records: one table a kind, and the order they stand in.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Tables {
            /// `seq` of every record.
            pub seq: Vec<i64>,
            /// [`Kind`] of every record, as its number. A record's row in the table of its kind is the number of
            /// records of that kind before it.
            pub kind: Vec<u8>,
            $($(#[$doc])* pub $field: $type),*
        }

        impl Tables {
            /// Appends rows of one table of another set; the order of records is the caller's matter.
            pub(crate) fn extend_kind(&mut self, kind: Kind, from: &Tables, rows: Range<usize>, texts: &Remap) {
                match kind {
                    $(Kind::$kind => self.$field.extend_rows(&from.$field, rows, texts)),*
                }
            }

            /// Writes all tables so that [`Tables::decode`] reads them.
            pub(crate) fn encode(&self, out: &mut Vec<u8>) {
                self.seq.encode(out);
                self.kind.encode(out);
                $(self.$field.encode(out);)*
            }

            pub(crate) fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged> {
                Ok(Self {
                    seq: Vec::decode(input)?,
                    kind: Vec::decode(input)?,
                    $($field: <$type>::decode(input)?),*
                })
            }

            /// Bytes held on the heap.
            pub fn heap_bytes(&self) -> usize {
                self.seq.heap_bytes() + self.kind.heap_bytes() $(+ self.$field.heap_bytes())*
            }

            /// Lengths of the lists that all columns consist of.
            pub(crate) fn sizes(&self) -> Vec<usize> {
                let mut told = Vec::new();
                self.seq.sizes(&mut told);
                self.kind.sizes(&mut told);
                $(self.$field.sizes(&mut told);)*
                told
            }

            /// Makes room, neither more nor less, for so many more entries in each of the lists of
            /// [`Tables::sizes`].
            pub(crate) fn make_room(&mut self, sizes: &[usize]) {
                let mut sizes = sizes.iter();
                self.seq.make_room(&mut sizes);
                self.kind.make_room(&mut sizes);
                $(self.$field.make_room(&mut sizes);)*
            }
        }
    };
}

tables! {
    /// Recorders that attached or were refused.
    Hello hello: Hellos,
    /// Admissions.
    Alias alias: Aliases,
    /// Hand-overs to the scheduler.
    Enqueued enqueued: Enqueued,
    /// Steps.
    Scheduled scheduled: Scheduled,
    /// Their outcomes.
    Completed completed: Completed,
    /// Requests freed.
    Terminal terminal: Terminals,
    /// Pause changes.
    Pause pause: Pauses,
    /// Prefix-cache resets.
    CacheReset cache_reset: CacheResets,
    /// Heartbeats.
    Heartbeat heartbeat: Heartbeats,
    /// Orderly closes.
    Goodbye goodbye: Goodbyes,
    /// Kinds this version does not know.
    Unknown unknown: Unknown,
}
