//! The times the client asks about (`reduce.md` K6).

use crate::facts::Window;

/// Windows by their start, each with the latest end of those up to it.
pub(crate) struct Windows(Vec<(i64, i64)>);

impl Windows {
    pub(crate) fn new(windows: &[Window]) -> Self {
        let mut sorted: Vec<(i64, i64)> =
            windows.iter().map(|window| (window.start_ns, window.end_ns)).collect();
        sorted.sort_unstable();
        let mut latest = i64::MIN;
        for (_, end) in &mut sorted {
            latest = latest.max(*end);
            *end = latest;
        }
        Self(sorted)
    }

    /// Whether some window holds the whole span, ends included.
    pub(crate) fn hold(&self, start_ns: i64, end_ns: i64) -> bool {
        let begun = self.0.partition_point(|window| window.0 <= start_ns);
        begun > 0 && self.0[begun - 1].1 >= end_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_window_must_hold_the_whole_span() {
        let windows = [(10, 20), (15, 40), (12, 13), (50, 50)];
        let windows: Vec<Window> =
            windows.iter().map(|&(start_ns, end_ns)| Window { start_ns, end_ns }).collect();
        let fast = Windows::new(&windows);
        for start in 5..60 {
            for end in 0..60 {
                let naive = windows.iter().any(|window| window.start_ns <= start && end <= window.end_ns);
                assert_eq!(fast.hold(start, end), naive, "{start}..{end}");
            }
        }
    }
}
