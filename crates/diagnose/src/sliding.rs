//! Medians of a window that slides over a list.

use std::ops::Range;
use stepscope_epoch_log::order::places_by;

/// A median, exactly: the middle value, or the two middle ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Median {
    low: i64,
    high: i64,
    odd: bool,
}

impl Median {
    /// The median of values in ascending order; `None` of none.
    #[cfg(test)]
    pub(crate) fn of_sorted(values: &[i64]) -> Option<Self> {
        let middle = values.len() / 2;
        let high = *values.get(middle)?;
        let odd = values.len() % 2 == 1;
        Some(Self { low: if odd { high } else { values[middle - 1] }, high, odd })
    }

    /// The median as a float: of an even count, the mean of the two middle values (`diagnose.md` D3).
    pub fn value(self) -> f64 {
        match self.whole() {
            Some(value) => value as f64,
            None => (i128::from(self.low) + i128::from(self.high)) as f64 / 2.0,
        }
    }

    /// The middle value of an odd count.
    pub fn whole(self) -> Option<i64> {
        self.odd.then_some(self.high)
    }
}

/// The medians of ranges of `values`. Neither the starts nor the ends of the ranges descend, and none is empty.
///
/// Ranges that overlap share one count by rank, which takes in and gives up each value once; the median is found by
/// descending in it.
pub(crate) fn sliding_medians(values: &[i64], ranges: &[Range<usize>]) -> Vec<Median> {
    let mut medians = Vec::with_capacity(ranges.len());
    let mut first = 0;
    while first < ranges.len() {
        let mut last = first + 1;
        while last < ranges.len() && ranges[last].start < ranges[last - 1].end {
            last += 1;
        }
        run_of_medians(values, &ranges[first..last], &mut medians);
        first = last;
    }
    medians
}

fn run_of_medians(values: &[i64], ranges: &[Range<usize>], medians: &mut Vec<Median>) {
    let base = ranges[0].start;
    let values = &values[base..ranges[ranges.len() - 1].end];
    let by_rank = places_by(values.len(), |at| values[at]);
    let mut rank_of = vec![0_u32; values.len()];
    for (rank, &at) in by_rank.iter().enumerate() {
        rank_of[at as usize] = rank as u32;
    }
    let mut counts = RankCounts::new(values.len());
    let (mut start, mut end) = (0, 0);
    for range in ranges {
        while end < range.end - base {
            counts.add(rank_of[end] as usize, 1);
            end += 1;
        }
        while start < range.start - base {
            counts.add(rank_of[start] as usize, -1);
            start += 1;
        }
        let at = |rank: usize| values[by_rank[counts.nth(rank)] as usize];
        let middle = range.len() / 2;
        let (high, odd) = (at(middle), range.len() % 2 == 1);
        medians.push(Median { low: if odd { high } else { at(middle - 1) }, high, odd });
    }
}

/// How many values of each rank are in the window, as a binary indexed tree.
struct RankCounts(Vec<i32>);

impl RankCounts {
    fn new(ranks: usize) -> Self {
        Self(vec![0; ranks + 1])
    }

    fn add(&mut self, rank: usize, count: i32) {
        let mut at = rank + 1;
        while at < self.0.len() {
            self.0[at] += count;
            at += at & at.wrapping_neg();
        }
    }

    /// The rank of the value that has `n` others in the window before it.
    fn nth(&self, n: usize) -> usize {
        let mut left = n as i32;
        let mut at = 0;
        let mut stride = self.0.len().next_power_of_two() / 2;
        while stride > 0 {
            if at + stride < self.0.len() && self.0[at + stride] <= left {
                at += stride;
                left -= self.0[at];
            }
            stride /= 2;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sliding_equals_sorting(
            values in prop::collection::vec(-5_i64..60, 1..80),
            mut bounds in prop::collection::vec((0_usize..80, 1_usize..20), 1..30),
        ) {
            bounds.sort_unstable();
            let mut end = 0;
            let ranges: Vec<_> = bounds
                .iter()
                .map(|&(start, len)| {
                    let start = start.min(values.len() - 1);
                    end = (start + len).min(values.len()).max(end);
                    start..end
                })
                .collect();
            let expected: Vec<_> = ranges
                .iter()
                .map(|range| {
                    let mut window = values[range.clone()].to_vec();
                    window.sort_unstable();
                    Median::of_sorted(&window).expect("not empty")
                })
                .collect();
            prop_assert_eq!(sliding_medians(&values, &ranges), expected);
        }
    }

    #[test]
    fn an_even_count_has_the_mean_of_the_middle_two() {
        let median = Median::of_sorted(&[1, 2, 5, 9]).expect("four values");
        assert_eq!((median.value(), median.whole()), (3.5, None));
        let median = Median::of_sorted(&[i64::MAX - 2, i64::MAX]).expect("two values");
        assert_eq!(median.value(), 9_223_372_036_854_775_806.0);
        assert_eq!(Median::of_sorted(&[7]).expect("one value").whole(), Some(7));
        assert_eq!(Median::of_sorted(&[]), None);
    }
}
