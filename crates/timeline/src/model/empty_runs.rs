//! Runs of steps without members, which tables show as one line each: a starved engine writes a thousand a second.

/// Runs of two or more neighbouring steps without members.
#[derive(Clone, Debug, Default)]
pub(crate) struct EmptyRuns {
    /// First step and length of each run, and the line it is.
    runs: Vec<(u32, u32, u32)>,
    lines: usize,
}

impl EmptyRuns {
    /// Of `steps` steps, of which some are empty.
    pub(crate) fn of(steps: usize, is_empty: impl Fn(usize) -> bool) -> Self {
        let mut runs = Vec::new();
        let (mut line, mut step) = (0usize, 0usize);
        while step < steps {
            let first = step;
            while step < steps && is_empty(step) {
                step += 1;
            }
            let length = step - first;
            if length >= 2 {
                runs.push((first as u32, length as u32, line as u32));
                line += 1;
            } else if length == 1 {
                line += 1;
            } else {
                step += 1;
                line += 1;
            }
        }
        runs.shrink_to_fit();
        Self { runs, lines: line }
    }

    /// How many lines the steps take.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// The first step of a line, and how many it stands for.
    pub(crate) fn steps_of(&self, line: usize) -> (usize, usize) {
        match self.runs.partition_point(|run| run.2 as usize <= line).checked_sub(1) {
            None => (line, 1),
            Some(at) => {
                let (first, length, of_line) = self.runs[at];
                match line - of_line as usize {
                    0 => (first as usize, length as usize),
                    after => ((first + length) as usize + after - 1, 1),
                }
            }
        }
    }

    /// The line of a step.
    pub(crate) fn line_of(&self, step: usize) -> usize {
        match self.runs.partition_point(|run| run.0 as usize <= step).checked_sub(1) {
            None => step,
            Some(at) => {
                let (first, length, line) = self.runs[at];
                let after = (step + 1).saturating_sub((first + length) as usize);
                line as usize + after
            }
        }
    }

    /// Bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.runs.capacity() * 12
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_and_steps_agree(empty in prop::collection::vec(any::<bool>(), 0..60)) {
            let runs = EmptyRuns::of(empty.len(), |step| empty[step]);
            let mut next = 0;
            for line in 0..runs.lines() {
                let (first, count) = runs.steps_of(line);
                prop_assert_eq!(first, next);
                for (step, empty) in empty.iter().enumerate().skip(first).take(count) {
                    prop_assert_eq!(runs.line_of(step), line);
                    prop_assert!(count == 1 || *empty);
                }
                // As long as it can be.
                let more = empty.get(first + count).copied().unwrap_or(false);
                prop_assert!(!(empty[first] && more));
                next = first + count;
            }
            prop_assert_eq!(next, empty.len());
        }
    }
}
