//! Baselines and limits of stalls (`diagnose.md` §6 D2–D3, §7).

use serde::{Serialize, Serializer};

use crate::cadence::CadenceEntry;
use crate::sliding::{Median, sliding_medians};
use crate::stalls::Stall;
use crate::steps::BUCKETS;
use crate::thresholds::{Thresholds, reaches};

/// What a limit was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BaselineKind {
    /// Steps of the stall's own work bucket.
    Matched,
    /// Steps of the stall's bucket or larger ones.
    Unmatched,
    /// Too few of either: the floor without a baseline.
    Floor,
}

impl BaselineKind {
    /// As the verdict writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Unmatched => "unmatched",
            Self::Floor => "floor",
        }
    }
}

/// How long a stall may be, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// From this duration on a stall is over its limit, ns.
    pub limit_ns: f64,
    /// Which steps it was measured against.
    pub kind: BaselineKind,
    /// Median cadence of those steps; `None` without a baseline.
    pub baseline: Option<Median>,
    /// How many cadences the median was taken of: completions in the window before the stall. Without a baseline,
    /// how many there were, too few.
    pub entries: usize,
    /// The multiple of the baseline, as set.
    pub factor: f64,
    /// The least limit that applied, ns: with a baseline or without.
    pub floor_ns: f64,
    /// How far back the baseline looked, ns.
    pub window_ns: i64,
}

impl Limit {
    /// Whether a stall of this duration is over the limit (M2).
    pub fn is_reached_by(&self, duration_ns: i64) -> bool {
        reaches(duration_ns, self.limit_ns)
    }

    /// Whether the floor decided, and not a multiple of the baseline.
    pub fn is_floor(&self) -> bool {
        self.limit_ns == self.floor_ns
    }
}

impl Serialize for Median {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(value) => serializer.serialize_i64(value),
            None => serializer.serialize_f64(self.value()),
        }
    }
}

/// Cadence entries of an epoch by bucket, for the limits of many stalls at once.
pub(crate) struct Baselines<'a> {
    entries: &'a [CadenceEntry],
    /// Completions of each bucket, ascending.
    done_by_bucket: Vec<Vec<i64>>,
}

/// The steps a baseline is taken of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Matched(u8),
    Unmatched(u8),
}

impl<'a> Baselines<'a> {
    /// `entries` are sorted.
    pub(crate) fn of(entries: &'a [CadenceEntry]) -> Self {
        let mut done_by_bucket = vec![Vec::new(); BUCKETS];
        for entry in entries {
            done_by_bucket[usize::from(entry.bucket)].push(entry.done_mono_ns);
        }
        Self { entries, done_by_bucket }
    }

    /// The limits of stalls, in their order.
    pub(crate) fn limits(&self, stalls: &[Stall], thresholds: &Thresholds) -> Vec<Limit> {
        let mut limits = Vec::with_capacity(stalls.len());
        let mut wanted: Vec<(Group, i64, usize)> = Vec::new();
        for (at, stall) in stalls.iter().enumerate() {
            let (group, entries) = self.choose(stall, thresholds);
            wanted.extend(group.map(|group| (group, stall.start_mono_ns, at)));
            limits.push(floor(entries, thresholds));
        }
        wanted.sort_unstable();
        for asked in wanted.chunk_by(|a, b| a.0 == b.0) {
            let group = asked[0].0;
            let members: Vec<&CadenceEntry> = self
                .entries
                .iter()
                .filter(|entry| match group {
                    Group::Matched(bucket) => entry.bucket == bucket,
                    Group::Unmatched(bucket) => entry.bucket >= bucket,
                })
                .collect();
            let done: Vec<i64> = members.iter().map(|entry| entry.done_mono_ns).collect();
            let cadences: Vec<i64> = members.iter().map(|entry| entry.cadence_ns).collect();
            let ranges: Vec<_> =
                asked.iter().map(|&(_, start, _)| within(&done, start, thresholds.window_ns())).collect();
            for ((_, _, at), median) in asked.iter().zip(sliding_medians(&cadences, &ranges)) {
                limits[*at] = with_baseline(group, median, limits[*at].entries, thresholds);
            }
        }
        limits
    }

    /// Which steps a stall is measured against, and how many cadences of theirs are in its window.
    fn choose(&self, stall: &Stall, thresholds: &Thresholds) -> (Option<Group>, usize) {
        let count = |bucket: usize| {
            within(&self.done_by_bucket[bucket], stall.start_mono_ns, thresholds.window_ns()).len()
        };
        let bucket = usize::from(stall.bucket);
        let matched = count(bucket);
        if matched > 0 && matched as f64 >= thresholds.matched_bin_min_steps {
            return (Some(Group::Matched(stall.bucket)), matched);
        }
        let unmatched = (bucket..self.done_by_bucket.len()).map(count).sum::<usize>();
        if unmatched > 0 && unmatched as f64 >= thresholds.min_busy_steps {
            return (Some(Group::Unmatched(stall.bucket)), unmatched);
        }
        (None, unmatched)
    }
}

/// The places of completions in the window before a stall, both ends included.
fn within(done: &[i64], start_mono_ns: i64, window_ns: i64) -> std::ops::Range<usize> {
    let earliest = start_mono_ns.saturating_sub(window_ns);
    let first = done.partition_point(|&done| done < earliest);
    first..first.max(done.partition_point(|&done| done <= start_mono_ns))
}

fn floor(entries: usize, thresholds: &Thresholds) -> Limit {
    Limit {
        limit_ns: thresholds.no_baseline_floor_ns,
        kind: BaselineKind::Floor,
        baseline: None,
        entries,
        factor: thresholds.stall_factor,
        floor_ns: thresholds.no_baseline_floor_ns,
        window_ns: thresholds.window_ns(),
    }
}

fn with_baseline(group: Group, median: Median, entries: usize, thresholds: &Thresholds) -> Limit {
    Limit {
        limit_ns: (thresholds.stall_factor * median.value()).max(thresholds.stall_floor_ns),
        kind: match group {
            Group::Matched(_) => BaselineKind::Matched,
            Group::Unmatched(_) => BaselineKind::Unmatched,
        },
        baseline: Some(median),
        entries,
        factor: thresholds.stall_factor,
        floor_ns: thresholds.stall_floor_ns,
        window_ns: thresholds.window_ns(),
    }
}
