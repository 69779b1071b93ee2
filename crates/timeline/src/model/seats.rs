//! Lanes as seats are taken: a stay sits down in the first lane that is free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The lane of each stay, and how many lanes there are. Stays come by `begin`; a lane is free from `end` on, and a
/// stay of no length still takes its lane for that moment.
pub(crate) fn take(begin: &[i64], end: &[i64]) -> (Vec<u32>, usize) {
    let mut taken: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    let mut lanes = 0u32;
    let lane = begin
        .iter()
        .zip(end)
        .map(|(&begin, &end)| {
            while let Some(&Reverse((until, lane))) = taken.peek()
                && until <= begin
            {
                taken.pop();
                free.push(Reverse(lane));
            }
            let lane = free.pop().map_or_else(
                || {
                    lanes += 1;
                    lanes - 1
                },
                |Reverse(lane)| lane,
            );
            taken.push(Reverse((end.max(begin.saturating_add(1)), lane)));
            lane
        })
        .collect();
    (lane, lanes as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_free_lane_is_taken() {
        let (lanes, count) = take(&[0, 1, 2, 5, 6], &[5, 3, 9, 7, 8]);
        assert_eq!(lanes, [0, 1, 2, 0, 1]);
        assert_eq!(count, 3);
    }

    proptest! {
        #[test]
        fn stays_of_a_lane_never_overlap(mut stays in prop::collection::vec((0i64..500, 0i64..60), 0..200)) {
            stays.sort_unstable();
            let begin: Vec<i64> = stays.iter().map(|stay| stay.0).collect();
            let end: Vec<i64> = stays.iter().map(|stay| stay.0 + stay.1).collect();
            let (lane, lanes) = take(&begin, &end);
            for this in 0..stays.len() {
                for other in 0..this {
                    prop_assert!(lane[this] != lane[other] || end[other] <= begin[this] && begin[other] < begin[this]);
                }
            }
            // No more lanes than stays at once.
            let busy = (0..600).map(|t| (0..stays.len()).filter(|&s| begin[s] <= t && t < end[s].max(begin[s] + 1)).count());
            prop_assert_eq!(lanes, busy.max().unwrap_or(0));
        }
    }
}
