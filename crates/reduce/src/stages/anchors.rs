//! The step that a pause or a cache reset is placed after (`reduce.md` §11.4).

use rustc_hash::FxHashSet;

use crate::digits;
use crate::facts::Rules;
use crate::kept::Kept;
use crate::rows::Rows;
use crate::steps::number_of;

/// Anchors by `seq`.
pub(crate) struct Anchors {
    /// `seq` of a completion, and the largest number up to it.
    rises: Vec<(i64, i64)>,
    /// The largest number of a step that only the artifact knows.
    elsewhere: Option<i64>,
}

impl Anchors {
    /// T9.
    pub(crate) fn of(rows: &Rows<'_>, kept: &Kept, existing: &FxHashSet<&[u8]>, rules: Rules) -> Self {
        let epoch = rows.epoch;
        let (scheduled, completed) = (&epoch.log.scheduled, &epoch.log.completed);
        let written: FxHashSet<&[u8]> = kept
            .steps
            .iter()
            .map(|step| epoch.strings.get(scheduled.iteration.text[step.step.scheduled as usize]))
            .collect();
        let mut rises: Vec<(i64, i64)> = Vec::new();
        for row in rows.completed.clone().filter(|&row| completed.iteration.other(row).is_none()) {
            let Some(number) = number_of(epoch, completed.iteration.text[row], rules) else { continue };
            if rises.last().is_none_or(|&(_, highest)| number > highest) {
                let name = number.to_string();
                if written.contains(name.as_bytes()) || existing.contains(name.as_bytes()) {
                    rises.push((completed.seq[row], number));
                }
            }
        }
        let mentioned: FxHashSet<&[u8]> = if existing.is_empty() {
            FxHashSet::default()
        } else {
            let scheduled = scheduled.iteration.text[rows.scheduled.clone()].iter();
            let completed = completed.iteration.text[rows.completed.clone()].iter();
            scheduled.chain(completed).map(|&name| epoch.strings.get(name)).collect()
        };
        let elsewhere = existing
            .iter()
            .filter(|name| !mentioned.contains(**name))
            .filter_map(|name| digits::number(name, rules))
            .max();
        Self { rises, elsewhere }
    }

    /// The number of the step that something at `seq` is placed after.
    pub(crate) fn before(&self, seq: i64) -> Option<i64> {
        let here = self.rises[..self.rises.partition_point(|rise| rise.0 < seq)].last().map(|rise| rise.1);
        here.max(self.elsewhere)
    }
}
