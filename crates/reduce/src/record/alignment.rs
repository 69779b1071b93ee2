//! `infer.clock_alignment` (`reduce.md` §10.2).

use super::fields::{Fields, FieldsExt};

/// A reading of the monotonic clock between two of the wall clock, ns (A2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// Wall clock before.
    pub wall_ns: i64,
    /// Monotonic clock.
    pub mono_ns: i64,
    /// Wall clock after.
    pub wall_after_ns: i64,
}

/// From an epoch's monotonic clock to the wall clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockAlignment<'a> {
    /// The epoch's name.
    pub epoch: &'a str,
    /// Monotonic domain.
    pub from_clock_domain: &'a [u8],
    /// Wall domain.
    pub to_clock_domain: &'a [u8],
    /// Wall − monotonic at the bracket's middle, ns.
    pub offset_ns: i64,
    /// How far that may be off, ns.
    pub uncertainty_ns: i64,
    /// From the bracket on, monotonic ns.
    pub valid_from_ns: i64,
    /// To the goodbye, monotonic ns.
    pub valid_to_ns: Option<i64>,
    /// `seq` of the hello.
    pub source_seq_max: i64,
    /// `seq` of the goodbye.
    pub valid_to_source_seq: Option<i64>,
    /// After − before, ns.
    pub gap_ns: i64,
    /// Whether a goodbye was read.
    pub ended: bool,
    /// The readings.
    pub bracket: Bracket,
}

impl ClockAlignment<'_> {
    pub(super) fn event_id_parts(&self) -> [&[u8]; 8] {
        [b"alignment:", self.epoch.as_bytes(), b"", b"", b"", b"", b"", b""]
    }

    pub(super) fn fields(&self, out: &mut impl Fields) {
        out.context();
        out.event(&self.event_id_parts(), "infer.clock_alignment");
        out.set("from_clock_domain", self.from_clock_domain);
        out.open("metadata");
        out.set("alignment_basis", "hello_bracket_midpoint/1");
        out.open("bracket");
        out.set("mono_ns", self.bracket.mono_ns);
        out.set("wall_after_ns", self.bracket.wall_after_ns);
        out.set("wall_ns", self.bracket.wall_ns);
        out.close();
        out.set("ended", self.ended);
        out.set("epoch", self.epoch);
        out.set("gap_ns", self.gap_ns);
        out.set("source_seq_max", self.source_seq_max);
        out.set("valid_to_source_seq", self.valid_to_source_seq);
        out.close();
        out.set("offset_ns", self.offset_ns);
        out.schema_version();
        out.set("to_clock_domain", self.to_clock_domain);
        out.set("uncertainty_ns", self.uncertainty_ns);
        out.set("valid_from_ns", self.valid_from_ns);
        out.set("valid_to_ns", self.valid_to_ns);
    }
}
