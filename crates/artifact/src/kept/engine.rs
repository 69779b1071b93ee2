//! The kept steps of each engine, joined with their members (`diagnose.md` §16).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_diagnose::{KeptLoop, KeptMember, KeptStep, WholeSpan};
use stepscope_reduce::RefBuf;
use stepscope_reduce::record::Text;

use super::epoch::{EpochFacts, whole_spans};
use super::pauses::PauseChanges;
use crate::object::{Object, items, scalar, value};
use crate::row::RecordRow;

/// How many records of an engine an artifact holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptCounts {
    /// Steps.
    pub steps: u64,
    /// Steps that never completed.
    pub incomplete: u64,
    /// Steps whose output could not be processed.
    pub update_failed: u64,
    /// Members of steps.
    pub memberships: u64,
    /// Stays of requests in the engine, by whose they are.
    pub requests: BTreeMap<String, u64>,
    /// Other events, by name.
    pub stages: BTreeMap<String, u64>,
    /// How requests ended: the engine's status → number.
    pub finishes: BTreeMap<String, u64>,
}

/// One engine of an artifact.
#[derive(Clone, Debug, Default)]
pub struct KeptEngine {
    /// Who names its steps.
    pub producer: String,
    /// What the imports told of its log; `None` without a capability record.
    pub epoch: Option<EpochFacts>,
    /// How many records there are.
    pub counts: KeptCounts,
    /// Its loop.
    pub kept: KeptLoop,
    /// Names of the steps of `kept`.
    pub names: Vec<String>,
}

#[derive(Default)]
pub(super) struct Engines {
    list: Vec<Gathered>,
    by_producer: FxHashMap<Text, usize>,
    /// A number for every step that is named, whether its record has come or not; the same for executions.
    step_numbers: FxHashMap<RefBuf, u32>,
    execution_numbers: FxHashMap<RefBuf, u32>,
    /// By number, once its record has come: the engine, and the place of the step, which has none where it cannot be
    /// judged (L1).
    steps: Vec<Option<(usize, Option<u32>)>>,
    /// By number, once its record has come: the engine.
    executions: Vec<Option<usize>>,
    memberships: Vec<Membership>,
}

/// The number of a reference, with a free place for its record.
fn numbered<T>(numbers: &mut FxHashMap<RefBuf, u32>, records: &mut Vec<Option<T>>, reference: RefBuf) -> u32 {
    let next = records.len() as u32;
    let number = *numbers.entry(reference).or_insert(next);
    if number == next {
        records.push(None);
    }
    number
}

#[derive(Default)]
struct Gathered {
    producer: Text,
    steps: Vec<KeptStep>,
    names: Vec<String>,
    counts: KeptCounts,
    epoch: Option<EpochFacts>,
    covered: Vec<WholeSpan>,
    pauses: PauseChanges,
}

/// A membership before its execution is known: the records may stand in any order.
struct Membership {
    attempt: u32,
    step: u32,
    finished: bool,
    streaming: bool,
    prompt_tokens: Option<i64>,
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn is_set(object: &Object<'_>, name: &str) -> bool {
    object.get(name).is_some_and(|json| value(json).is_set())
}

/// `attempt_ref`, or `request_ref` where it is null.
fn attempt_of(row: &RecordRow<'_>) -> Option<RefBuf> {
    row.reference("attempt_ref").or_else(|| row.reference("request_ref"))
}

impl Engines {
    fn of(&mut self, producer: &[u8]) -> usize {
        if let Some(&at) = self.by_producer.get(producer) {
            return at;
        }
        let at = self.list.len();
        self.by_producer.insert(producer.to_vec(), at);
        self.list.push(Gathered { producer: producer.to_vec(), ..Gathered::default() });
        at
    }

    /// Of several rows of a step the first counts.
    pub(super) fn iteration(&mut self, row: &RecordRow<'_>) {
        let Some(reference) = row.reference("iteration_ref") else { return };
        let at = self.of(&reference.producer_id);
        let name = reference.id.clone();
        let number = numbered(&mut self.step_numbers, &mut self.steps, reference) as usize;
        if self.steps[number].is_some() {
            return;
        }
        let engine = &mut self.list[at];
        let metadata = row.metadata();
        engine.counts.steps += 1;
        engine.counts.incomplete += u64::from(metadata.text("state").as_deref() == Some(b"incomplete"));
        engine.counts.update_failed += u64::from(is_set(&metadata, "update_failed"));
        let place = kept_step(row, &metadata, &name).map(|step| {
            engine.steps.push(step);
            engine.names.push(shown(&name));
            engine.steps.len() as u32 - 1
        });
        self.steps[number] = Some((at, place));
    }

    pub(super) fn membership(&mut self, row: &RecordRow<'_>) {
        let (Some(attempt), Some(step)) = (attempt_of(row), row.reference("iteration_ref")) else { return };
        let metadata = row.metadata();
        let finish = metadata.object("finish");
        if !finish.is_empty() {
            let at = self.of(&step.producer_id);
            let status = finish.text("status").map_or_else(|| "not recorded".to_owned(), |text| shown(&text));
            *self.list[at].counts.finishes.entry(status).or_default() += 1;
        }
        self.memberships.push(Membership {
            attempt: numbered(&mut self.execution_numbers, &mut self.executions, attempt),
            step: numbered(&mut self.step_numbers, &mut self.steps, step),
            finished: is_set(&finish, "in_step"),
            streaming: metadata.get("resumable") == Some(b"true"),
            prompt_tokens: metadata.int("prompt_tokens"),
        });
    }

    /// An imported request; of several rows of an attempt the first counts.
    pub(super) fn execution(&mut self, row: &RecordRow<'_>, producer: &[u8]) {
        let Some(attempt) = attempt_of(row) else { return };
        let number = numbered(&mut self.execution_numbers, &mut self.executions, attempt) as usize;
        if self.executions[number].is_some() {
            return;
        }
        let at = self.of(producer);
        let metadata = row.metadata();
        let ownership = metadata.text("ownership").map_or_else(|| "unknown".to_owned(), |text| shown(&text));
        *self.list[at].counts.requests.entry(ownership).or_default() += 1;
        self.executions[number] = Some(at);
    }

    pub(super) fn stage(&mut self, row: &RecordRow<'_>) {
        let Some(stage) = row.reference("stage_ref") else { return };
        let name = row.fields.text("name").map_or_else(String::new, |name| shown(&name));
        let at = self.of(&stage.producer_id);
        let engine = &mut self.list[at];
        if name == "engine.pause_transition" {
            engine.pauses.stage(&row.metadata());
        }
        *engine.counts.stages.entry(name).or_default() += 1;
    }

    /// What an import told of itself (`artifact.md` §14).
    pub(super) fn import(&mut self, execution: &Object<'_>) {
        for (name, json) in execution.object("epochs").iter() {
            let summary = Object::of(json);
            let Some(producer) = summary.text("producer") else { continue };
            let at = self.of(&producer);
            let engine = &mut self.list[at];
            engine.epoch.get_or_insert_default().add(name, &summary);
            engine.covered = whole_spans(&summary);
            for fact in summary.get("unanchored").and_then(items).unwrap_or_default() {
                engine.pauses.unanchored(name, &Object::of(fact));
            }
        }
    }

    /// The engines that have steps, requests or a log.
    pub(super) fn finish(mut self) -> Vec<KeptEngine> {
        let mut members: Vec<Vec<KeptMember>> = self.list.iter().map(|_| Vec::new()).collect();
        for membership in &self.memberships {
            let Some((at, place)) = self.steps[membership.step as usize] else { continue };
            self.list[at].counts.memberships += 1;
            let Some(of) = self.executions[membership.attempt as usize] else { continue };
            // The members of an engine's steps are its own executions.
            if let (Some(step), true) = (place, at == of) {
                let Membership { attempt, finished, streaming, prompt_tokens, .. } = *membership;
                members[at].push(KeptMember { step, attempt, finished, streaming, prompt_tokens });
            }
        }
        self.list.into_iter().zip(members).map(|(engine, members)| engine.finish(members)).collect()
    }
}

impl Gathered {
    fn finish(self, members: Vec<KeptMember>) -> KeptEngine {
        let facts = self.epoch.as_ref();
        let kept = KeptLoop {
            steps: self.steps,
            members,
            is_whole: facts.is_some_and(EpochFacts::is_whole),
            pauses: self.pauses.intervals(),
            covered: self.covered,
            observes_pauses: facts.is_some_and(|epoch| epoch.observes("pause")),
            records_dropped: facts.is_some_and(|epoch| epoch.gaps > 0 || epoch.dropped > 0),
            capped: facts.is_some_and(|epoch| epoch.capped),
        };
        KeptEngine {
            producer: shown(&self.producer),
            epoch: self.epoch,
            counts: self.counts,
            kept,
            names: self.names,
        }
    }
}

/// L1: a step without one of these stamps cannot be judged.
fn kept_step(row: &RecordRow<'_>, metadata: &Object<'_>, name: &[u8]) -> Option<KeptStep> {
    Some(KeptStep {
        number: number(name),
        start_mono_ns: row.fields.int("start_ns")?,
        start_wall_ns: metadata.int("start_wall_ns")?,
        end_mono_ns: metadata.int("schedule_end_mono_ns")?,
        end_wall_ns: metadata.int("schedule_end_wall_ns")?,
        done_mono_ns: row.fields.int("end_ns"),
        done_wall_ns: metadata.int("completed_wall_ns"),
        tokens: match metadata.get("total_tokens").map(scalar) {
            Some(stepscope_epoch_log::json::Scalar::Int(tokens)) => tokens,
            Some(stepscope_epoch_log::json::Scalar::Big(digits)) if !digits.starts_with(b"-") => i64::MAX,
            _ => 0,
        },
    })
}

/// A name of decimal digits only.
fn number(name: &[u8]) -> Option<i64> {
    let digits = !name.is_empty() && name.iter().all(u8::is_ascii_digit);
    digits.then(|| std::str::from_utf8(name).ok()?.parse().ok())?
}
