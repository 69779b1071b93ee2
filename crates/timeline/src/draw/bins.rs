//! A window of time as bins.

use crate::model::LAST;

/// Bins an answer holds at most.
pub(super) const MOST_BINS: i64 = 32_768;

/// A window in bins of one width, a power of two, on a grid through the epoch's first stamp: windows of the same
/// width agree on every bin they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bins {
    /// Start of the first bin, ns.
    pub start: i64,
    /// Width, ns.
    pub width: i64,
    /// How many.
    pub count: usize,
}

impl Bins {
    /// The bins of a window drawn `pixels` wide: one to two a pixel. Any input gives some window.
    pub fn of(t0: f64, t1: f64, pixels: u32) -> Self {
        // Where the epoch's time ends: the difference of two such times still fits.
        const REACH: f64 = LAST as f64;
        let sane = |t: f64| if t.is_nan() { 0.0 } else { t.clamp(-REACH, REACH) };
        let start = sane(t0).floor() as i64;
        let end = (sane(t1).ceil() as i64).max(start + 1);
        let pixels = i64::from(pixels).clamp(1, MOST_BINS / 2 - 1);
        let per_pixel = ((end - start) / pixels).max(1);
        let width = 1i64 << per_pixel.ilog2();
        let first = start.div_euclid(width);
        let last = (end - 1).div_euclid(width);
        Self { start: first * width, width, count: (last - first + 1) as usize }
    }

    /// End of the last bin.
    pub fn end(&self) -> i64 {
        self.edge(self.count)
    }

    /// Start of a bin.
    #[inline]
    pub fn edge(&self, bin: usize) -> i64 {
        self.start + bin as i64 * self.width
    }

    /// The bin of a time; of one outside the window, the nearest.
    #[inline]
    pub fn bin(&self, t: i64) -> usize {
        // A shift divides by a power of two, rounding down, in a fraction of the time.
        let bin = t.saturating_sub(self.start) >> self.width.trailing_zeros();
        bin.clamp(0, self.count as i64 - 1) as usize
    }

    /// The bins that a span touches; a span of no length touches one. `None` when it lies outside the window.
    #[inline]
    pub fn touched(&self, start: i64, end: i64) -> Option<(usize, usize)> {
        let last = end.max(start.saturating_add(1)).saturating_sub(1);
        if start >= self.end() || last < self.start {
            return None;
        }
        Some((self.bin(start), self.bin(last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_to_two_bins_a_pixel_on_one_grid() {
        let bins = Bins::of(1000.0, 2000.0, 100);
        assert_eq!((bins.start, bins.width, bins.count), (1000, 8, 125));
        // A width that is a power of two already is taken as it is.
        assert_eq!(Bins::of(4096.0, 8192.0, 64).width, 64);
        assert_eq!(Bins::of(f64::NAN, f64::NAN, 0).count, 1);
        assert_eq!(Bins::of(-1e30, 1e30, 1280).count, 2048);
        assert_eq!(bins.touched(999, 999), None);
        assert_eq!(bins.touched(1008, 1008), Some((1, 1)));
        assert_eq!(bins.touched(0, 5000), Some((0, 124)));
    }

    proptest! {
        #[test]
        fn windows_hold_what_was_asked_for(t0 in -1e12f64..1e12, length in 0f64..1e12, pixels in 1u32..5000) {
            let bins = Bins::of(t0, t0 + length, pixels);
            prop_assert!(bins.start as f64 <= t0 && bins.end() as f64 >= t0 + length);
            prop_assert!(bins.width.count_ones() == 1);
            prop_assert!(bins.start % bins.width == 0);
            prop_assert!(bins.count <= 2 * pixels as usize + 2);
        }
    }
}
