//! How long a step takes.

/// Step time by scheduled tokens, between measured points on straight lines, plus a share per member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepTime {
    /// Tokens and ns, by rising tokens. Below the first point and beyond the last the time stays as it is there.
    pub(crate) points: &'static [(i64, i64)],
    /// Added for each member, ns: attention, sampling, detokenization.
    pub(crate) per_member_ns: i64,
}

impl StepTime {
    /// Time of a step, ns.
    pub(crate) fn of(&self, tokens: i64, members: usize) -> i64 {
        self.between_points(tokens) + self.per_member_ns * i64::try_from(members).unwrap_or(i64::MAX)
    }

    fn between_points(&self, tokens: i64) -> i64 {
        let above = self.points.partition_point(|&(at, _)| at < tokens);
        match (above.checked_sub(1).and_then(|below| self.points.get(below)), self.points.get(above)) {
            (Some(&(low, from)), Some(&(high, to))) => from + (to - from) * (tokens - low) / (high - low),
            (Some(&(_, time)), None) | (None, Some(&(_, time))) => time,
            (None, None) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_hit_exactly_and_the_ends_are_flat() {
        let time = StepTime { points: &[(2, 5), (10, 21), (20, 21)], per_member_ns: 3 };
        let times: Vec<i64> = [0, 2, 3, 10, 15, 99].into_iter().map(|tokens| time.of(tokens, 0)).collect();
        assert_eq!(times, [5, 5, 7, 21, 21, 21]);
        assert_eq!(time.of(2, 4), 17);
    }
}
