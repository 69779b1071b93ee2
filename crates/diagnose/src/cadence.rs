//! How often a busy loop completes a step (`diagnose.md` §6 D1).

use crate::steps::Steps;

/// The time from one completion to the next where work went on. Ordered as §6 sorts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CadenceEntry {
    /// Completion of the later step, monotonic ns.
    pub done_mono_ns: i64,
    /// Its work bucket.
    pub bucket: u8,
    /// Time since the completion before it, ns; negative when that came later.
    pub cadence_ns: i64,
}

/// The entries of an epoch, sorted.
pub(crate) fn cadence_entries(steps: &Steps) -> Vec<CadenceEntry> {
    cadence_entries_where(steps, |_, _| true)
}

/// Those of neighbours that may be compared.
pub(crate) fn cadence_entries_where(steps: &Steps, may: impl Fn(usize, usize) -> bool) -> Vec<CadenceEntry> {
    let mut entries = Vec::new();
    let mut before: Option<(usize, i64)> = None;
    for (q, done_mono_ns) in steps.completed() {
        if let Some((p, before_ns)) = before
            && steps.goes_on(p, q)
            && may(p, q)
        {
            let cadence_ns = done_mono_ns.saturating_sub(before_ns);
            entries.push(CadenceEntry { done_mono_ns, bucket: steps.bucket[q], cadence_ns });
        }
        before = Some((q, done_mono_ns));
    }
    entries.sort_unstable();
    entries
}
