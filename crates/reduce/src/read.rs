//! All epochs of one read (`reduce.md` §2.4).

use std::collections::BTreeMap;

use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{Epoch, Role};

use crate::facts::{Options, RunFacts};
use crate::record::{Context, Record};
use crate::reduction::{Reduction, reduce};
use crate::summary::{object, worker_summary};

/// What the epochs of one read were reduced to.
#[derive(Clone, Debug, Default)]
pub struct ReadReduction {
    /// One an epoch, in reading order; `None` for a worker's (M2).
    pub epochs: Vec<Option<Reduction>>,
    /// Whether other clients' IDs are written as they are.
    pub raw_foreign_ids: bool,
}

impl ReadReduction {
    /// Reduces the epochs of a read, one after the other. They are independent of each other: a caller with several
    /// threads may call [`reduce`] for each engine epoch and put the results together.
    pub fn of(epochs: &[Epoch], facts: &RunFacts, options: &Options) -> Self {
        let reduced = epochs
            .iter()
            .map(|epoch| (epoch.name.role == Role::Engine).then(|| reduce(epoch, facts, options)));
        Self { epochs: reduced.collect(), raw_foreign_ids: options.raw_foreign_ids }
    }

    fn reduced<'r>(&'r self, epochs: &'r [Epoch]) -> impl Iterator<Item = (&'r Epoch, &'r Reduction)> {
        epochs.iter().zip(&self.epochs).filter_map(|(epoch, reduction)| Some((epoch, reduction.as_ref()?)))
    }

    /// Calls `f` with the context and every record, in order (M1).
    pub fn each_record(&self, epochs: &[Epoch], f: &mut dyn FnMut(&Context, &Record<'_>)) {
        for (epoch, reduction) in self.reduced(epochs) {
            reduction.each_record(epoch, &mut |record| f(reduction.context(), record));
        }
    }

    /// The marks by epoch name, engines before workers (M3).
    pub fn high_water(&self, epochs: &[Epoch]) -> Vec<(String, i64)> {
        let engines = self.reduced(epochs).map(|(epoch, reduction)| (epoch, reduction.high_water));
        let workers = epochs
            .iter()
            .filter(|epoch| epoch.name.role == Role::Worker)
            .map(|epoch| (epoch, epoch.sequence.consumed()));
        let mut marks: Vec<(String, i64)> = Vec::new();
        for (epoch, mark) in engines.chain(workers) {
            let Some(mark) = mark else { continue };
            match marks.iter_mut().find(|(name, _)| *name == epoch.name.text) {
                Some((_, known)) => *known = mark,
                None => marks.push((epoch.name.text.clone(), mark)),
            }
        }
        marks
    }

    /// How other clients' requests are named in this import (§13): `hmac-sha256-keyed`, `raw` or `withheld`.
    pub fn pseudonyms(&self) -> &'static str {
        if self.raw_foreign_ids {
            "raw"
        } else if self.epochs.iter().flatten().any(|reduction| !reduction.has_key()) {
            "withheld"
        } else {
            "hmac-sha256-keyed"
        }
    }

    /// The summaries of all epochs by name, ascending; of two with one name the later stays (`reading.md` Z-3).
    pub fn epoch_summaries(&self, epochs: &[Epoch]) -> Value {
        let mut summaries: BTreeMap<&str, Value> = BTreeMap::new();
        for (epoch, reduction) in epochs.iter().zip(&self.epochs) {
            let summary = match reduction {
                Some(reduction) => reduction.summary(epoch),
                None => worker_summary(epoch),
            };
            summaries.insert(&epoch.name.text, summary);
        }
        object(summaries.into_iter().collect())
    }
}
