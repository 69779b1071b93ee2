//! Buffers that go round: from the writing thread, when a record is out, back to whoever encodes the next.

/// The smallest buffer, as a power of two: most records but `scheduled` and `completed` fit.
const SMALLEST: u32 = 9;
/// Above this, as a power of two, buffers are not kept.
const LARGEST: u32 = 22;
/// How many bytes of buffers are kept at most.
const KEPT_BYTES: usize = 8 << 20;

/// Free buffers by the power of two they hold, so that a small record never sits in a large buffer.
#[derive(Debug)]
pub(super) struct Buffers {
    free: [Vec<Vec<u8>>; (LARGEST - SMALLEST + 1) as usize],
    kept: usize,
}

impl Buffers {
    pub(super) fn new() -> Self {
        Self { free: Default::default(), kept: 0 }
    }

    /// An empty buffer with room for `size` bytes, if one is free. No allocation.
    pub(super) fn take(&mut self, size: usize) -> Option<Vec<u8>> {
        let class = class_for(size)?;
        let buffer = self.free[class].pop()?;
        self.kept -= buffer.capacity();
        Some(buffer)
    }

    /// Gives a buffer back; the buffer itself when it is not kept, to be freed outside the lock.
    pub(super) fn give(&mut self, mut buffer: Vec<u8>) -> Option<Vec<u8>> {
        let capacity = buffer.capacity();
        if !(1 << SMALLEST..2 << LARGEST).contains(&capacity) || self.kept + capacity > KEPT_BYTES {
            return Some(buffer);
        }
        buffer.clear();
        self.kept += capacity;
        self.free[(capacity.ilog2() - SMALLEST) as usize].push(buffer);
        None
    }

    /// A new buffer of the size class that serves `size`. Called outside the lock.
    pub(super) fn allocate(size: usize) -> Vec<u8> {
        Vec::with_capacity(size.next_power_of_two().max(1 << SMALLEST))
    }
}

/// The class whose buffers all hold `size` bytes.
fn class_for(size: usize) -> Option<usize> {
    let power = size.next_power_of_two().ilog2().max(SMALLEST);
    (power <= LARGEST).then_some((power - SMALLEST) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_to_a_record_of_its_size_only() {
        let mut buffers = Buffers::new();
        for size in [1, 512, 513, 70_000, 4 << 20] {
            let buffer = Buffers::allocate(size);
            let capacity = buffer.capacity();
            assert!(capacity >= size);
            assert!(buffers.give(buffer).is_none());
            let back = buffers.take(size).expect("the buffer given");
            assert_eq!((back.capacity(), back.len()), (capacity, 0));
            assert!(buffers.take(size).is_none(), "it is there once");
        }
    }

    #[test]
    fn no_more_than_the_bound_is_kept() {
        let mut buffers = Buffers::new();
        let refused = (0..100).filter(|_| buffers.give(Buffers::allocate(1 << 20)).is_some()).count();
        assert_eq!(refused, 100 - 8);
        assert!(buffers.take(5 << 20).is_none());
    }
}
