//! One seed, one sequence, on every platform: integers only.

/// xoshiro256**, seeded by splitmix64.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut next = seed;
        let mut splitmix = || {
            next = next.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = next;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        };
        Self { state: [splitmix(), splitmix(), splitmix(), splitmix()] }
    }

    pub(crate) fn next(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// From 0 to `bound` − 1; 0 when the bound is not positive.
    pub(crate) fn below(&mut self, bound: i64) -> i64 {
        let bound = u64::try_from(bound).unwrap_or(0);
        let scaled = (u128::from(self.next()) * u128::from(bound)) >> 64;
        scaled as i64
    }

    /// From `low` to `high`, both included.
    pub(crate) fn between(&mut self, (low, high): (i64, i64)) -> i64 {
        low + self.below(high - low + 1)
    }

    /// True in so many of a thousand cases.
    pub(crate) fn permille(&mut self, share: i64) -> bool {
        self.below(1000) < share
    }

    /// An exponentially distributed time of this mean, ns: the gaps between arrivals that do not know of each other.
    pub(crate) fn exponential(&mut self, mean_ns: i64) -> i64 {
        let ln2_in_2_32 = 2_977_044_472_u128;
        let scaled = u128::from(minus_log2(self.next())) * ln2_in_2_32 * mean_ns.unsigned_abs() as u128;
        i64::try_from(scaled >> 64).unwrap_or(i64::MAX)
    }

    /// So many hexadecimal digits, at most 16.
    pub(crate) fn hex(&mut self, digits: usize) -> String {
        let text = format!("{:016x}", self.next());
        text[..digits.min(16)].to_owned()
    }
}

/// −log₂(x / 2⁶⁴) with 32 binary digits after the point, by squaring, so that no platform's logarithm is asked.
fn minus_log2(x: u64) -> u64 {
    let x = x.max(1);
    let leading = u64::from(x.leading_zeros());
    // In [1, 2) with 63 binary digits after the point.
    let mut mantissa = x << leading;
    let mut fraction = 0_u64;
    for _ in 0..32 {
        let square = u128::from(mantissa) * u128::from(mantissa);
        let carry = square >> 127;
        fraction = fraction << 1 | carry as u64;
        mantissa = (square >> (63 + carry)) as u64;
    }
    ((leading + 1) << 32) - fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_never_changes() {
        let mut random = Random::new(7);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        // By another implementation of the two published algorithms.
        assert_eq!(
            first,
            [12_923_355_070_828_475_994, 5_142_052_590_334_782_674, 15_488_392_906_492_639_638]
        );
    }

    #[test]
    fn logarithms_are_right_to_the_last_digits() {
        for x in [1_u64, 2, 3, 1 << 32, u64::MAX / 3, u64::MAX] {
            let exact = 64.0 - (x as f64).log2();
            let computed = minus_log2(x) as f64 / 2_f64.powi(32);
            assert!((exact - computed).abs() < 1e-8, "{x}: {exact} {computed}");
        }
    }

    #[test]
    fn draws_keep_their_bounds_and_mean() {
        let mut random = Random::new(1);
        let draws: Vec<i64> = (0..20_000).map(|_| random.exponential(1_000_000)).collect();
        let mean = draws.iter().sum::<i64>() / 20_000;
        assert!((970_000..1_030_000).contains(&mean), "{mean}");
        assert!(draws.iter().all(|&draw| draw >= 0));
        assert!((0..1000).all(|_| (3..=5).contains(&random.between((3, 5)))));
        assert_eq!(random.below(0), 0);
    }
}
