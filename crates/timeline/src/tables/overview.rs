//! What is said of an epoch before any picture, and what the pictures need to know.

use stepscope_epoch_log::{Ints, Role};

use crate::answers::{Counter, Empty, Overview, Parts, Pause};
use crate::model::Timeline;
use crate::tell::words::{count, duration, safe};
use crate::tell::{bare, refused_in_words};

impl Timeline {
    /// The overview; `index` is the caller's number for the epoch.
    pub fn overview(&self, index: u32) -> Overview {
        let setting = |name: &str| {
            let value = self.epoch.hello.as_ref().and_then(|hello| hello.setting(name));
            value.filter(|&value| value > 0).map(|value| value as f64)
        };
        let (most_live, most_waiting) = self.occupancy.peaks();
        let largest =
            self.steps.largest(0, self.steps.len()).map_or(0, |step| self.steps.tokens(step).total());
        Overview {
            entry: self.entry(index),
            origin_mono_ns: self.clock.origin_mono().to_string(),
            origin_wall_ms: self.clock.origin_wall_ms(),
            t0: 0.0,
            t1: self.clock.end().max(1) as f64,
            trust: self.trust(),
            verdict: self.verdict_line(),
            differences: self.differences.clone(),
            steps: self.steps.len() as u32,
            memberships: self.executions.entry_step.len() as u32,
            requests: self.executions.len() as u32,
            lanes: self.executions.lanes() as u32,
            lanes_by_arrival: self.executions.len() as u32,
            token_budget: setting("max_num_batched_tokens"),
            seats: setting("max_num_seqs"),
            max_step_tokens: largest as f64,
            max_live: f64::from(most_live),
            max_waiting: if self.occupancy.waiting_recorded { f64::from(most_waiting) } else { 0.0 },
            waiting_recorded: self.occupancy.waiting_recorded,
            stalls: self.stall_rows(),
            pauses: self
                .pauses
                .iter()
                .map(|pause| Pause {
                    t0: pause.start as f64,
                    t1: pause.end as f64,
                    state: safe(&self.epoch.strings.display(pause.state)),
                })
                .collect(),
            step_rows: self.step_row_count() as u32,
            problems: self.epoch.problems.len() as u32,
            worker: self.worker_counters(),
            empty: self.empty(),
        }
    }

    /// The counters of a worker, from its last heartbeat that has them (`raw-log.md` §6.9).
    fn worker_counters(&self) -> Vec<Counter> {
        if self.epoch.name.role != Role::Worker {
            return Vec::new();
        }
        let beats = &self.epoch.log.heartbeat;
        let last = |column: &Ints<i64>| (0..beats.seq.len()).rev().find_map(|row| column.int(row));
        let counter = |label: &str, value: Option<i64>, note: &str| Counter {
            label: label.to_owned(),
            value: value.map_or_else(|| "not recorded".to_owned(), count),
            note: note.to_owned(),
        };
        let mut counters = vec![
            counter(
                "Steps without a name",
                last(&beats.range_misses),
                "serving calls that ran without an iteration: their kernels cannot be matched to a step",
            ),
            counter(
                "Calls at start-up",
                last(&beats.startup_unranged),
                "calls before the first serving step: warm-up and graph capture",
            ),
            counter(
                "Waiting for sampling",
                last(&beats.pending_samples),
                "steps that ran and still wait for their sampling call",
            ),
        ];
        if let Some(hello) = &self.epoch.hello {
            counters.extend(hello.worker.iter().map(|(name, value)| Counter {
                label: name.clone(),
                value: value.as_deref().map_or_else(|| "not known".to_owned(), bare),
                note: String::new(),
            }));
        }
        counters
    }

    /// Why there is nothing to draw.
    fn empty(&self) -> Option<Empty> {
        let say = |title: &str, words: String| {
            Some(Empty { title: title.to_owned(), parts: Parts::new().say(words) })
        };
        let role = self.epoch.name.role;
        if let Some(refused) = self.refused() {
            let title = match role {
                Role::Engine => "This engine was not recorded",
                Role::Worker => "This worker was not followed",
            };
            return say(title, refused_in_words(role, &refused));
        }
        if role == Role::Worker {
            return say(
                "A worker has no steps of its own",
                "A worker's epoch holds its counters and heartbeats; the steps it ran are in the engine's epoch.".to_owned(),
            );
        }
        if self.epoch.log.seq.is_empty() {
            return say(
                "No record could be read",
                "The segments are empty or damaged; the problems say what was found.".to_owned(),
            );
        }
        if self.steps.is_empty() {
            let span = duration(self.clock.end());
            return say(
                "No step was recorded",
                format!(
                    "The writer was heard from for {span}, but the engine ran no step in that time, or its records are missing."
                ),
            );
        }
        None
    }
}
