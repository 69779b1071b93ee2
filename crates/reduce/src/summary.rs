//! The summary of a reduced epoch (`reduce.md` §13).

use stepscope_epoch_log::Epoch;
use stepscope_epoch_log::json::Value;

use crate::record::Ownership;
use crate::reduction::Reduction;

pub(crate) fn object(fields: Vec<(&str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)).collect())
}

fn count(value: u64) -> Value {
    (value as i64).into()
}

/// The reader's summary of an epoch that is not reduced (M2).
pub fn worker_summary(epoch: &Epoch) -> Value {
    with_fields(epoch.summary(), vec![("reduced", false.into())])
}

fn with_fields(mut summary: Value, more: Vec<(&str, Value)>) -> Value {
    if let Value::Object(fields) = &mut summary {
        fields.extend(more.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)));
    }
    summary
}

impl Reduction {
    /// How many executions are of each ownership, in the order of [`Ownership::ALL`].
    pub fn executions(&self) -> [u64; 3] {
        let mut owned = [0; 3];
        for &at in &self.order {
            owned[self.executions[at as usize].ownership() as usize] += 1;
        }
        owned
    }

    /// How other clients' IDs are written (P4): `raw`, `pseudonym` or `withheld`.
    pub fn foreign_ids(&self) -> &'static str {
        self.foreign_ids
    }

    /// Whether the epoch has a key for pseudonyms.
    pub fn has_key(&self) -> bool {
        self.has_key
    }

    /// The summary object. `epoch` is the one that was reduced.
    pub fn summary(&self, epoch: &Epoch) -> Value {
        let mut summary = epoch.summary();
        if let Value::Object(fields) = &mut summary {
            fields.retain(|field| field.0 != b"high_water_seq");
        }
        let counts = &self.counts;
        let stages = self.stage_counts.iter().map(|(&name, &number)| (name, count(number)));
        let executions = Ownership::ALL.into_iter().zip(self.executions()).filter(|&(_, number)| number > 0);
        with_fields(
            summary,
            vec![
                ("high_water_seq", self.high_water.into()),
                ("stages", object(stages.collect())),
                ("unanchored", Value::Array(self.unanchored.clone())),
                ("producer", Value::String(self.context.producer_id.clone())),
                ("reduced", true.into()),
                ("config", self.config.clone()),
                ("iterations_kept", count(self.steps.len() as u64)),
                ("iterations_complete", count(counts.complete)),
                ("iterations_incomplete", count(counts.incomplete)),
                ("iterations_pending", count(counts.pending)),
                ("iterations_already_imported", count(counts.already_imported)),
                ("foreign_only_placed", count(counts.foreign_only_placed)),
                ("foreign_only_counted", count(counts.foreign_only_counted)),
                ("empty_counted", count(counts.empty)),
                ("iterations_update_failed", count(counts.update_failed)),
                ("completed_without_scheduled", count(counts.completed_without_scheduled)),
                ("finish_unattached", count(self.finish_unattached.len() as u64)),
                ("finish_unattached_seqs", self.finish_unattached.iter().copied().collect()),
                (
                    "executions",
                    object(executions.map(|(ownership, number)| (ownership.name(), count(number))).collect()),
                ),
                ("pseudonym_key", if self.has_key { "epoch" } else { "missing" }.into()),
                ("foreign_ids", self.foreign_ids.into()),
                (
                    "withheld",
                    object(vec![
                        ("executions", count(counts.withheld_executions)),
                        ("memberships", count(counts.withheld_memberships)),
                        ("foreign_only_steps", count(counts.foreign_only_withheld)),
                    ]),
                ),
            ],
        )
    }
}
