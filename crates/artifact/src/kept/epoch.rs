//! What the imports told of the log an engine's records came from (`reduce.md` §13, `diagnose.md` P3).

use stepscope_diagnose::{Span, WholeSpan};
use stepscope_epoch_log::json::loose_int;

use crate::object::{Object, items, string, value};

/// Steps and members that imports left out, summed over them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Steps in which only other clients' requests ran (K7).
    pub foreign_only: u64,
    /// The same, because no key was there to name them with (K5).
    pub foreign_only_withheld: u64,
    /// Steps without members (K4).
    pub empty: u64,
    /// Members of kept steps, because no key was there (K10).
    pub withheld_members: u64,
}

impl LeftOut {
    /// Steps with members that were left out.
    pub fn steps(&self) -> u64 {
        self.foreign_only.saturating_add(self.foreign_only_withheld)
    }
}

/// What is known of an epoch: of several imports the latest counts, what they left out adds up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EpochFacts {
    /// The epoch's name.
    pub name: String,
    /// Its host folder.
    pub host_boot: String,
    /// Process ID, as its JSON text.
    pub pid: String,
    /// `alive`, `ended`, `gone` or `unknown`.
    pub state: String,
    /// Why.
    pub state_reason: String,
    /// `seq`s missing in the log.
    pub gaps: u64,
    /// Records the writer dropped.
    pub dropped: u64,
    /// The writer reached its disk cap.
    pub capped: bool,
    /// The last segment ended inside a line.
    pub truncated: bool,
    /// Steps that wait for a later import.
    pub pending: u64,
    /// Finishes nothing could take, over all imports.
    pub finish_unattached: u64,
    /// Kinds of records the log is known to hold beside the engine's steps.
    pub observes: Vec<String>,
    /// What was left out.
    pub left_out: LeftOut,
    /// `pseudonym`, `raw` or `withheld`: how other clients' IDs are written.
    pub foreign_ids: String,
    /// Name and value of the engine's settings that are no objects or arrays.
    pub config: Vec<(String, String)>,
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn count(summary: &Object<'_>, name: &str) -> u64 {
    summary.get(name).and_then(loose_int).and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
}

fn is_set(summary: &Object<'_>, name: &str) -> bool {
    summary.get(name).is_some_and(|json| value(json).is_set())
}

impl EpochFacts {
    /// Takes in the summary of one more import.
    pub(super) fn add(&mut self, name: &[u8], summary: &Object<'_>) {
        let text = |name| summary.text(name).map_or_else(String::new, |text| shown(&text));
        let withheld = summary.object("withheld");
        let coverage = summary.object("coverage");
        let observes = coverage.get("observes").and_then(items).unwrap_or_default();
        let dropped = summary.object("dropped");
        let dropped = dropped.iter().filter_map(|(_, count)| loose_int(count)).filter(|&count| count > 0);
        let left_out = LeftOut {
            foreign_only: self.left_out.foreign_only + count(summary, "foreign_only_counted"),
            foreign_only_withheld: self.left_out.foreign_only_withheld
                + count(&withheld, "foreign_only_steps"),
            empty: self.left_out.empty + count(summary, "empty_counted"),
            withheld_members: self.left_out.withheld_members + count(&withheld, "memberships"),
        };
        *self = Self {
            name: shown(name),
            host_boot: text("host_boot"),
            pid: summary.get("pid").map_or_else(String::new, shown),
            state: text("state"),
            state_reason: text("state_reason"),
            gaps: count(summary, "gaps"),
            dropped: dropped.fold(0, |sum, count| sum.saturating_add_signed(count)),
            capped: is_set(summary, "capped"),
            truncated: is_set(summary, "truncated"),
            pending: count(summary, "iterations_pending"),
            finish_unattached: self.finish_unattached + count(summary, "finish_unattached"),
            observes: observes.into_iter().filter_map(string).map(|kind| shown(&kind)).collect(),
            left_out,
            foreign_ids: text("foreign_ids"),
            config: settings(&summary.object("config")),
        };
    }

    /// Whether no step with members is missing: the imports left none out and the log lost nothing.
    pub fn is_whole(&self) -> bool {
        self.left_out.steps() == 0 && self.gaps == 0 && self.dropped == 0
    }

    /// Whether the log is known to hold records of a kind.
    pub fn observes(&self, kind: &str) -> bool {
        self.observes.iter().any(|other| other == kind)
    }
}

fn settings(config: &Object<'_>) -> Vec<(String, String)> {
    let bare = |json: &[u8]| match json.first() {
        Some(b'{' | b'[') | None => None,
        Some(b'"') => string(json).map(|text| shown(&text)),
        _ => Some(shown(json)),
    };
    config.iter().filter_map(|(name, json)| Some((shown(name), bare(json)?))).collect()
}

/// The spans in which a summary says nothing was lost.
pub(super) fn whole_spans(summary: &Object<'_>) -> Vec<WholeSpan> {
    let spans = summary.object("coverage").get("spans").and_then(items).unwrap_or_default();
    let span = |json| {
        let span = Object::of(json);
        Some(WholeSpan {
            start_mono_ns: span.int("start_mono_ns")?,
            end_mono_ns: span.int("end_mono_ns")?,
            wall: Span { start_wall_ns: span.int("start_wall_ns")?, end_wall_ns: span.int("end_wall_ns")? },
        })
    };
    spans.into_iter().filter_map(span).collect()
}
