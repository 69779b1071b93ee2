//! Greatest values of blocks of a column, so that the greatest of any stretch is found without reading it all.

/// Items a block.
pub(crate) const BLOCK: usize = 8;

/// The greatest value of each block, and of each block of blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peaks<T> {
    levels: Vec<Vec<T>>,
}

impl<T: Copy + PartialOrd> Peaks<T> {
    /// Over `len` values.
    pub(crate) fn of(len: usize, value: impl Fn(usize) -> T) -> Self {
        let mut levels = Vec::new();
        let first = blocks(len, &value);
        let mut level = first;
        while level.len() > BLOCK {
            let next = blocks(level.len(), &|at| level[at]);
            levels.push(std::mem::replace(&mut level, next));
        }
        levels.push(level);
        Self { levels }
    }

    /// The greatest value in `start..end`; `value` must be what the peaks were made of.
    pub(crate) fn greatest(&self, start: usize, end: usize, value: &impl Fn(usize) -> T) -> Option<T> {
        let mut best = None;
        self.look(0, start, end, value, &mut best);
        best
    }

    fn look(
        &self,
        level: usize,
        start: usize,
        end: usize,
        value: &impl Fn(usize) -> T,
        best: &mut Option<T>,
    ) {
        let mut take = |candidate: T| {
            if best.is_none_or(|best| candidate > best) {
                *best = Some(candidate);
            }
        };
        let read = |at: usize| if level == 0 { value(at) } else { self.levels[level - 1][at] };
        let first = start.div_ceil(BLOCK);
        let last = end / BLOCK;
        if first >= last || level >= self.levels.len() {
            (start..end).for_each(|at| take(read(at)));
            return;
        }
        (start..first * BLOCK).for_each(|at| take(read(at)));
        (last * BLOCK..end).for_each(|at| take(read(at)));
        self.look(level + 1, first, last, value, best);
    }

    /// Bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.levels.iter().map(|level| level.capacity() * size_of::<T>()).sum()
    }
}

fn blocks<T: Copy + PartialOrd>(len: usize, value: &impl Fn(usize) -> T) -> Vec<T> {
    (0..len.div_ceil(BLOCK))
        .map(|block| {
            let start = block * BLOCK;
            (start + 1..len.min(start + BLOCK)).fold(value(start), |best, at| {
                let candidate = value(at);
                if candidate > best { candidate } else { best }
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_greatest_of_any_stretch(values in prop::collection::vec(0u32..1000, 0..5000), a: u16, b: u16) {
            let peaks = Peaks::of(values.len(), |at| values[at]);
            let (mut start, mut end) = (a as usize % (values.len() + 1), b as usize % (values.len() + 1));
            if start > end {
                std::mem::swap(&mut start, &mut end);
            }
            prop_assert_eq!(
                peaks.greatest(start, end, &|at| values[at]),
                values[start..end].iter().max().copied()
            );
        }
    }
}
