//! When the writer was heard from (`reading.md` §15, `heartbeat_gaps/1`). It says nothing about loss.

use crate::epoch::Epoch;

/// Heartbeats further apart leave a gap, ns.
pub const GAP_NS: i64 = 5_000_000_000;

/// A heartbeat that has a monotonic stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Position in the epoch.
    pub seq: i64,
    /// Monotonic clock, ns.
    pub mono_ns: i64,
    /// Wall clock, ns; `None` when it is no integer.
    pub wall_ns: Option<i64>,
}

/// The block of the summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Liveness {
    /// Heartbeats with a monotonic stamp, ascending by `seq`.
    pub beats: Vec<Beat>,
}

impl Liveness {
    /// The heartbeats of an epoch that take part (M-1).
    pub fn of(epoch: &Epoch) -> Self {
        let table = &epoch.log.heartbeat;
        let beats = (0..table.seq.len())
            .filter_map(|row| {
                let mono_ns = table.at.mono.int(row)?;
                Some(Beat { seq: table.seq[row], mono_ns, wall_ns: table.at.wall.int(row) })
            })
            .collect();
        Self { beats }
    }

    /// The largest difference between neighbours, ns (M-4).
    pub fn max_interval_ns(&self) -> Option<i64> {
        self.intervals().map(|(from, to)| to.mono_ns.saturating_sub(from.mono_ns)).max()
    }

    /// Neighbours more than [`GAP_NS`] apart (M-2).
    pub fn gaps(&self) -> impl Iterator<Item = (Beat, Beat)> {
        self.intervals().filter(|(from, to)| to.mono_ns.saturating_sub(from.mono_ns) > GAP_NS)
    }

    /// All neighbours.
    pub fn intervals(&self) -> impl Iterator<Item = (Beat, Beat)> {
        self.beats.windows(2).map(|pair| (pair[0], pair[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::read_lines;

    /// The table under `reading.md` §15.
    #[test]
    fn gaps_of_the_specification() {
        let liveness = |stamps: [&str; 3]| {
            let mut lines = String::new();
            for (at, stamp) in stamps.iter().enumerate() {
                lines += &format!(
                    "{{\"format\":\"stormlog.vllm_hook/1\",\"kind\":\"heartbeat\",\"epoch\":\"engine-1-2\",\
                     \"seq\":{},\"mono_ns\":{stamp}}}\n",
                    2 * at + 1
                );
            }
            let liveness = Liveness::of(&read_lines("engine-1-2", lines.as_bytes()));
            let gaps: Vec<_> = liveness.gaps().map(|(from, to)| (from.seq, to.seq)).collect();
            (liveness.max_interval_ns(), gaps, liveness.beats.len())
        };
        assert_eq!(liveness(["0", "5000000000", "10000000001"]), (Some(5_000_000_001), vec![(3, 5)], 3));
        assert_eq!(liveness(["50000000000", "0", "100000000000"]), (Some(100_000_000_000), vec![(3, 5)], 3));
        assert_eq!(liveness(["0", "\"x\"", "5000000001"]), (Some(5_000_000_001), vec![(1, 5)], 2));
        assert_eq!(liveness(["null", "7", "\"x\""]), (None, vec![], 1));
    }
}
