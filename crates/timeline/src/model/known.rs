//! What of the epoch's time is known (`reading.md` §14, §15).

use stepscope_epoch_log::Epoch;
use stepscope_epoch_log::coverage::coverage;
use stepscope_epoch_log::liveness::Liveness;

use super::clock::Clock;
use super::spans::Spans;

/// What is known of a moment; the numbers are those of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Knowledge {
    /// Before the first or after the last stamp of an epoch that may go on.
    Outside = 0,
    /// Nothing the writer accepted is missing.
    Whole = 1,
    /// Something may be missing.
    NotKnown = 2,
    /// The writer was not heard from for more than 5 s.
    Silent = 3,
    /// After the last stamp of an epoch that is over.
    After = 4,
}

/// What is known of every moment.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Nothing is missing.
    pub whole: Spans,
    /// The writer was silent.
    pub silent: Spans,
    /// Neither of the two.
    pub not_known: Spans,
    end: i64,
    over: bool,
}

impl Known {
    pub(crate) fn of(epoch: &Epoch, clock: Clock) -> Self {
        let spans = coverage(epoch).spans;
        let whole =
            spans.iter().map(|span| (clock.at(span.start_mono_ns), clock.at(span.end_mono_ns))).collect();
        let silent = Liveness::of(epoch)
            .gaps()
            .map(|(from, to)| (clock.at(from.mono_ns), clock.at(to.mono_ns)))
            .collect();
        let silent = Spans::union(silent);
        let whole = Spans::union(whole);
        let not_known = whole.or(&silent).complement(0, clock.end());
        Self { whole, silent, not_known, end: clock.end(), over: epoch.state.is_over() }
    }

    /// The worst that is known of a range: silent, then not known, then after the end, then whole.
    pub fn worst(&self, start: i64, end: i64) -> Knowledge {
        if !self.silent.touching(start, end).is_empty() {
            Knowledge::Silent
        } else if !self.not_known.touching(start, end).is_empty() {
            Knowledge::NotKnown
        } else if self.over && end > self.end {
            Knowledge::After
        } else if !self.whole.touching(start, end).is_empty() {
            Knowledge::Whole
        } else {
            Knowledge::Outside
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.whole.heap_bytes() + self.silent.heap_bytes() + self.not_known.heap_bytes()
    }
}

impl Known {
    /// [`Known::worst`] of each bin, as numbers.
    pub(crate) fn worst_of_bins(&self, bins: crate::draw::Bins) -> Vec<u8> {
        let mut worst = vec![Knowledge::Outside as u8; bins.count];
        let mut paint = |start: i64, end: i64, knowledge: Knowledge| {
            if let Some((first, last)) = bins.touched(start, end) {
                worst[first..=last].fill(knowledge as u8);
            }
        };
        // Worst last.
        let order = [
            (&self.whole, Knowledge::Whole),
            (&self.not_known, Knowledge::NotKnown),
            (&self.silent, Knowledge::Silent),
        ];
        let (whole, others) = (&order[0], &order[1..]);
        for &(start, end) in whole.0.touching(bins.start, bins.end()) {
            paint(start, end, whole.1);
        }
        if self.over {
            paint(self.end.saturating_add(1), i64::MAX, Knowledge::After);
        }
        for (spans, knowledge) in others {
            for &(start, end) in spans.touching(bins.start, bins.end()) {
                paint(start, end, *knowledge);
            }
        }
        worst
    }
}
