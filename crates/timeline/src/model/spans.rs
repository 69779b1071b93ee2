//! Sets of time as sorted, disjoint spans.

use stepscope_epoch_log::order::sort_intervals;

/// A set of moments: half-open spans, ascending, with a hole between any two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans(Vec<(i64, i64)>);

impl Spans {
    /// The union of any spans; those with end ≤ start hold nothing.
    pub fn union(mut spans: Vec<(i64, i64)>) -> Self {
        spans.retain(|(start, end)| end > start);
        sort_intervals(&mut spans);
        spans.dedup_by(|next, kept| {
            let joins = next.0 <= kept.1;
            if joins {
                kept.1 = kept.1.max(next.1);
            }
            joins
        });
        spans.shrink_to_fit();
        Self(spans)
    }

    /// The spans.
    pub fn as_slice(&self) -> &[(i64, i64)] {
        &self.0
    }

    /// Whether it holds no moment.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is in both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let (mut a, mut b) = (0, 0);
        let mut out = Vec::new();
        while let (Some(left), Some(right)) = (self.0.get(a), other.0.get(b)) {
            let span = (left.0.max(right.0), left.1.min(right.1));
            if span.1 > span.0 {
                out.push(span);
            }
            if left.1 <= right.1 { a += 1 } else { b += 1 }
        }
        Self(out)
    }

    /// What of a range is not in the set.
    #[must_use]
    pub fn complement(&self, start: i64, end: i64) -> Self {
        let mut out = Vec::new();
        let mut at = start;
        for &(from, to) in &self.0 {
            if from >= end {
                break;
            }
            if from > at {
                out.push((at, from));
            }
            at = at.max(to);
        }
        if at < end {
            out.push((at, end));
        }
        Self(out)
    }

    /// What is in this set and not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) => self.intersect(&other.complement(first.0, last.1)),
            _ => Self::default(),
        }
    }

    /// What is in either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self::union(self.0.iter().chain(&other.0).copied().collect())
    }

    /// Total length.
    pub fn length(&self) -> i64 {
        self.0.iter().fold(0i64, |sum, (start, end)| sum.saturating_add(end - start))
    }

    /// The spans that share a moment with a range that has a length.
    pub fn touching(&self, start: i64, end: i64) -> &[(i64, i64)] {
        let first = self.0.partition_point(|span| span.1 <= start);
        let last = self.0.partition_point(|span| span.0 < end);
        &self.0[first..last.max(first)]
    }

    /// Whether one span holds the whole range, ends included.
    pub fn covers(&self, start: i64, end: i64) -> bool {
        let at = self.0.partition_point(|span| span.1 < end);
        self.0.get(at).is_some_and(|span| span.0 <= start && end <= span.1)
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(i64, i64)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_spans() -> impl Strategy<Value = Spans> {
        prop::collection::vec((0i64..100, 0i64..100), 0..12).prop_map(Spans::union)
    }

    fn holds(spans: &Spans, t: i64) -> bool {
        spans.as_slice().iter().any(|&(start, end)| start <= t && t < end)
    }

    proptest! {
        #[test]
        fn sets_agree_with_their_moments(a in any_spans(), b in any_spans(), from in 0i64..100, to in 0i64..100) {
            for t in -1..101 {
                prop_assert_eq!(holds(&a.intersect(&b), t), holds(&a, t) && holds(&b, t));
                prop_assert_eq!(holds(&a.or(&b), t), holds(&a, t) || holds(&b, t));
                prop_assert_eq!(holds(&a.without(&b), t), holds(&a, t) && !holds(&b, t));
                prop_assert_eq!(holds(&a.complement(from, to), t), from <= t && t < to && !holds(&a, t));
            }
            prop_assert_eq!(a.length(), (0..100).filter(|&t| holds(&a, t)).count() as i64);
            let to = to.max(from + 1);
            prop_assert_eq!(!a.touching(from, to).is_empty(), (from..to).any(|t| holds(&a, t)));
        }
    }
}
