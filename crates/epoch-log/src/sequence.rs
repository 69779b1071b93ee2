//! What the `seq` numbers say about holes and marks (`reading.md` §10).

/// Facts about all distinct `seq`s read, marks ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceFacts {
    /// The highest.
    pub last: Option<i64>,
    /// The highest of the unbroken run from 0.
    pub contiguous: Option<i64>,
    /// Numbers missing between lowest and highest.
    pub gaps: i64,
    /// `status.last_seq`.
    pub writer_last: Option<i64>,
    /// The mark the read was given.
    pub mark: Option<i64>,
}

impl SequenceFacts {
    /// Facts of ascending, distinct numbers.
    pub(crate) fn of(seqs: &[i64], writer_last: Option<i64>, mark: Option<i64>) -> Self {
        let (Some(&first), Some(&last)) = (seqs.first(), seqs.last()) else {
            return Self { writer_last, mark, ..Self::default() };
        };
        // Ascending and distinct: the run from 0 goes as far as place and number agree.
        let run = (first == 0).then(|| partition(seqs.len(), |at| seqs[at] == at as i64) as i64 - 1);
        Self {
            last: Some(last),
            contiguous: run,
            gaps: (last - first).saturating_add(1) - seqs.len() as i64,
            writer_last,
            mark,
        }
    }

    /// The consumed seq: how far an import can move its mark on the strength of this read.
    pub fn consumed(&self) -> Option<i64> {
        self.contiguous.max(self.mark)
    }
}

/// The first place of `0..len` where `holds` no longer holds; it holds nowhere after that.
pub(crate) fn partition(len: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of `reading.md` §10.
    #[test]
    fn facts_of_the_specification() {
        let facts = |seqs: &[i64], mark| {
            let facts = SequenceFacts::of(seqs, None, mark);
            (facts.last, facts.contiguous, facts.gaps, facts.consumed())
        };
        assert_eq!(facts(&[], None), (None, None, 0, None));
        assert_eq!(facts(&[], Some(10)), (None, None, 0, Some(10)));
        assert_eq!(facts(&[0, 1, 4, 5], None), (Some(5), Some(1), 2, Some(1)));
        assert_eq!(facts(&[3, 4], None), (Some(4), None, 0, None));
        assert_eq!(facts(&[5], Some(4)), (Some(5), None, 0, Some(4)));
        assert_eq!(facts(&[0, 1, 4], Some(3)), (Some(4), Some(1), 2, Some(3)));
        assert_eq!(facts(&[0, 1, 4], Some(0)), (Some(4), Some(1), 2, Some(1)));
        assert_eq!(facts(&[0], Some(10)), (Some(0), Some(0), 0, Some(10)));
        assert_eq!(facts(&[0], Some(-1)), (Some(0), Some(0), 0, Some(0)));
    }
}
