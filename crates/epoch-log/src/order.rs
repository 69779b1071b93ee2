//! Sorting. Every type that is sorted brings a sorting program of its own into the page's wasm, about 4 kB each; so
//! what can be said in these few types is sorted here, once.

/// Sorts numbers with a place or an index each, by number, then by place.
#[inline(never)]
pub fn sort_placed(placed: &mut [(i64, u32)]) {
    placed.sort_unstable();
}

/// Sorts intervals by start, then by end.
#[inline(never)]
pub fn sort_intervals(intervals: &mut [(i64, i64)]) {
    intervals.sort_unstable();
}

/// Sorts indices, of texts for instance.
#[inline(never)]
pub fn sort_indices(indices: &mut [u32]) {
    indices.sort_unstable();
}

/// The places `0..count` in ascending order of a key; places of equal keys stay in their order.
pub fn places_by(count: usize, key: impl Fn(usize) -> i64) -> Vec<u32> {
    let mut placed: Vec<(i64, u32)> = (0..count).map(|place| (key(place), place as u32)).collect();
    sort_placed(&mut placed);
    placed.into_iter().map(|(_, place)| place).collect()
}

/// Sorts by a key; items of equal keys stay in their order.
pub fn sort_by_key<T: Clone>(items: &mut Vec<T>, key: impl Fn(&T) -> i64) {
    let order = places_by(items.len(), |at| key(&items[at]));
    if order.iter().enumerate().any(|(place, &at)| place != at as usize) {
        *items = order.iter().map(|&at| items[at as usize].clone()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_keep_their_order() {
        let mut items = vec![(3, 'a'), (1, 'b'), (3, 'c'), (1, 'd'), (2, 'e')];
        assert_eq!(places_by(items.len(), |at| items[at].0), [1, 3, 4, 0, 2]);
        sort_by_key(&mut items, |item| item.0);
        assert_eq!(items, [(1, 'b'), (1, 'd'), (2, 'e'), (3, 'a'), (3, 'c')]);
    }
}
