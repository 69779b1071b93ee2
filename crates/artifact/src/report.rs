//! What an artifact holds of imported execution logs (`artifact.md` §16), without the time of devices, which only
//! traces tell.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_epoch_log::json::{Scalar, Value, loose_int, text_of};
use stepscope_reduce::RefBuf;
use stepscope_reduce::record::Text;

use crate::IMPORT_SOURCE;
use crate::capability::object;
use crate::context::Contexts;
use crate::identity::{Identities, entity_of};
use crate::line::{LineEnds, Lines, is_blank};
use crate::object::{Object, items, scalar, string, value};
use crate::read::{LineFault, LineProblem, understand};
use crate::refusal::Refusal;
use crate::row::{RecordRow, Row};
use crate::schema::RecordType;

/// Steps and requests by whose they are.
pub type ByOwnership = BTreeMap<String, u64>;

/// What was lost on the way, summed over the epochs of the latest imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureLoss {
    /// Epochs.
    pub epochs: u64,
    /// Records dropped by the writer, by drop name.
    pub dropped: BTreeMap<String, i64>,
    /// Numbers missing in the sequence.
    pub missing_sequences: i64,
    /// Steps that wait for a later import.
    pub pending_iterations: i64,
    /// Calls of a worker without a step.
    pub range_misses: i64,
    /// The same before its first serving step.
    pub startup_unranged: i64,
    /// Epochs whose open segment ended inside a line.
    pub truncated_epochs: u64,
    /// Errors of the reader.
    pub read_errors: u64,
    /// Finishes no membership could take.
    pub finish_unattached: u64,
    /// Steps that never completed.
    pub incomplete_iterations: u64,
    /// Steps whose output could not be processed.
    pub update_failed_iterations: u64,
}

/// The execution block of an artifact.
#[derive(Clone, Debug, Default)]
pub struct ExecutionReport {
    /// What every import told of itself, in file order, with `collected` added.
    pub imports: Vec<Value>,
    /// Why the records cannot be counted: they contradict each other (§6).
    pub error: Option<Refusal>,
    /// Imported steps.
    pub iterations: u64,
    /// Those that completed.
    pub complete: u64,
    /// Steps by whose requests were in them: `run`, `foreign`, `mixed`, `unresolved`, `none`.
    pub iteration_ownership: ByOwnership,
    /// Members of these steps.
    pub memberships: ByOwnership,
    /// Stays in the engine.
    pub executions: ByOwnership,
    /// Requests of the run that an execution was found for.
    pub run_requests_bound: u64,
    /// Requests the client sent with an ID.
    pub run_requests_total: u64,
    /// What was lost.
    pub capture_loss: CaptureLoss,
    /// Rows that are no canonical records although they do not say to be of version 1.
    pub skipped_records: u64,
}

impl ExecutionReport {
    /// Whether there is anything to report.
    pub fn is_available(&self) -> bool {
        !self.imports.is_empty() || (self.error.is_none() && self.iterations > 0)
    }

    /// The block as the analysis prints it, without what only traces tell and without cases.
    pub fn to_value(&self) -> Value {
        let available = ("available", self.is_available().into());
        let imports = || ("imports", Value::Array(self.imports.clone()));
        let count = |count: u64| Value::from(count as i64);
        if let Some(error) = &self.error {
            return object([available, ("error", error.to_string().as_str().into()), imports()]);
        }
        if !self.is_available() {
            return object([available]);
        }
        let owners = |counts: &ByOwnership| object(counts.iter().map(|(name, n)| (&name[..], count(*n))));
        let loss = &self.capture_loss;
        let mut fields = vec![
            available,
            imports(),
            (
                "iterations",
                object([
                    ("total", count(self.iterations)),
                    ("complete", count(self.complete)),
                    ("incomplete", count(loss.incomplete_iterations)),
                    ("ownership", owners(&self.iteration_ownership)),
                ]),
            ),
            ("memberships", owners(&self.memberships)),
            (
                "requests",
                object([
                    ("executions", owners(&self.executions)),
                    ("run_requests_bound", count(self.run_requests_bound)),
                    ("run_requests_total", count(self.run_requests_total)),
                ]),
            ),
            (
                "capture_loss",
                object([
                    ("epochs", count(loss.epochs)),
                    ("dropped", object(loss.dropped.iter().map(|(name, n)| (&name[..], (*n).into())))),
                    ("missing_sequences", loss.missing_sequences.into()),
                    ("pending_iterations", loss.pending_iterations.into()),
                    ("incomplete_iterations", count(loss.incomplete_iterations)),
                    ("update_failed_iterations", count(loss.update_failed_iterations)),
                    ("range_misses", loss.range_misses.into()),
                    ("finish_unattached", count(loss.finish_unattached)),
                    ("startup_unranged", loss.startup_unranged.into()),
                    ("truncated_epochs", count(loss.truncated_epochs)),
                    ("read_errors", count(loss.read_errors)),
                ]),
            ),
        ];
        if self.skipped_records > 0 {
            fields.push(("skipped_records", count(self.skipped_records)));
        }
        object(fields)
    }
}

/// Reports on an artifact, read as an analysis reads it: a row that is no valid record is passed over and counted.
///
/// # Errors
/// The first line that is no JSON object in UTF-8, or no valid row of version 4.
pub fn execution_report(bytes: &[u8]) -> Result<ExecutionReport, LineProblem> {
    let mut report = ExecutionReport::default();
    let mut first = FirstWalk::default();
    each_row(bytes, |contexts, row| match row {
        Ok(Row::Client(row)) => first.request(&row.fields),
        Ok(Row::Record(row)) => first.record(contexts, row, &mut report.imports),
        Ok(Row::Definition(_)) => {}
        Err(row) => {
            first.request(row);
            report.skipped_records += u64::from(!is_version_1(row));
        }
    })?;
    first.losses.finish(&mut report.capture_loss);
    report.run_requests_total = first.client_requests.len() as u64;
    if first.runs.len() > 1 {
        let run = first.runs.iter().next_back().map_or_else(String::new, |run| shown(run));
        report.error = Some(Refusal::OtherRun { line: 0, run });
        return Ok(report);
    }
    let mut agreement = first.identities.doubtful();
    let mut counted: FxHashSet<Vec<u8>> = FxHashSet::default();
    let mut steps = first.steps;
    let mut bound: FxHashSet<Text> = FxHashSet::default();
    each_row(bytes, |contexts, row| {
        let (Ok(Row::Record(row)), None) = (row, &report.error) else { return };
        if let Some(agreement) = &mut agreement {
            report.error = agreement.row(contexts, row).err();
            // Where records come twice, each entity counts once.
            if entity_of(contexts.get(row.context), row).is_some_and(|entity| !counted.insert(entity)) {
                return;
            }
        }
        match row.kind {
            RecordType::Membership => {
                let step = row.reference("iteration_ref").and_then(|step| steps.get_mut(&step));
                if let Some(step) = step {
                    let ownership = membership_ownership(row);
                    step.members.count(&ownership);
                    *report.memberships.entry(ownership).or_default() += 1;
                }
            }
            RecordType::Request if contexts.get(row.context).source == IMPORT_SOURCE.as_bytes() => {
                let ownership = execution_ownership(&row.metadata());
                if ownership == "run" {
                    bound.extend(row.reference("request_ref").map(|request| request.id));
                }
                *report.executions.entry(ownership).or_default() += 1;
            }
            _ => {}
        }
    })?;
    report.run_requests_bound = bound.len() as u64;
    for step in steps.values() {
        report.iterations += 1;
        report.complete += u64::from(step.state == State::Complete);
        report.capture_loss.incomplete_iterations += u64::from(step.state == State::Incomplete);
        report.capture_loss.update_failed_iterations += u64::from(step.update_failed);
        *report.iteration_ownership.entry(step.ownership().to_owned()).or_default() += 1;
    }
    Ok(report)
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Calls `visit` for every row, and for every object that is no valid one.
fn each_row<'a>(
    bytes: &'a [u8],
    mut visit: impl FnMut(&Contexts, Result<&Row<'a>, &Object<'a>>),
) -> Result<(), LineProblem> {
    let mut contexts = Contexts::default();
    for (line, text) in Lines::new(bytes, LineEnds::Any).enumerate() {
        if is_blank(text) {
            continue;
        }
        let row = match std::str::from_utf8(text) {
            Ok(_) => understand(text, &mut contexts),
            Err(_) => Err(LineFault::Utf8),
        };
        match row {
            Ok(row) => visit(&contexts, Ok(&row)),
            Err(LineFault::Row(fault)) if !fault.stops_analysis() => visit(&contexts, Err(&Object::of(text))),
            Err(fault) => return Err(LineProblem { line, fault }),
        }
    }
    Ok(())
}

/// By value: `1.0` and `true` equal 1.
fn is_version_1(row: &Object<'_>) -> bool {
    row.get("schema_version").is_none_or(|json| value(json).canonical() == "1")
}

/// The ownership a request says, whatever its type.
fn execution_ownership(metadata: &Object<'_>) -> String {
    match metadata.get("ownership").filter(|json| value(json).is_set()) {
        Some(json) => shown(&text_of(json)),
        None => "unknown".to_owned(),
    }
}

/// The ownership a membership says, or what its request's producer tells.
fn membership_ownership(row: &RecordRow<'_>) -> String {
    if let Some(ownership) = row.metadata().text("ownership") {
        return shown(&ownership);
    }
    let is_run = row.reference("request_ref").is_some_and(|request| request.producer_id == b"stormlog");
    if is_run { "run" } else { "unknown" }.to_owned()
}

#[derive(Clone, Copy, Debug, Default)]
struct Members {
    run: i64,
    foreign: i64,
    unresolved: i64,
}

impl Members {
    fn count(&mut self, ownership: &str) {
        match ownership {
            "run" => self.run += 1,
            "foreign" => self.foreign += 1,
            "unresolved" => self.unresolved += 1,
            _ => {}
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Complete,
    Incomplete,
    Other,
}

#[derive(Debug)]
struct Step {
    state: State,
    update_failed: bool,
    /// What the step says of its members, when it says all three.
    said: Option<Members>,
    /// Its memberships.
    members: Members,
}

impl Step {
    fn of(metadata: &Object<'_>) -> Self {
        let state = match metadata.get("state").map(|json| string(json).unwrap_or_default()) {
            None => State::Complete,
            Some(state) if *state == *b"complete" => State::Complete,
            Some(state) if *state == *b"incomplete" => State::Incomplete,
            Some(_) => State::Other,
        };
        let said = || {
            Some(Members {
                run: metadata.int("run_members")?,
                foreign: metadata.int("foreign_members")?,
                unresolved: metadata.int("unresolved_members")?,
            })
        };
        let update_failed = metadata.get("update_failed").is_some_and(|json| value(json).is_set());
        Self { state, update_failed, said: said(), members: Members::default() }
    }

    fn ownership(&self) -> &'static str {
        let Members { run, foreign, unresolved } = self.said.unwrap_or(self.members);
        match (run > 0, foreign > 0, unresolved > 0) {
            (true, true, _) => "mixed",
            (_, _, true) => "unresolved",
            (true, false, false) => "run",
            (false, true, false) => "foreign",
            (false, false, false) => "none",
        }
    }
}

#[derive(Default)]
struct FirstWalk {
    runs: BTreeSet<Text>,
    identities: Identities,
    steps: FxHashMap<RefBuf, Step>,
    /// As JSON values, by value.
    client_requests: BTreeSet<String>,
    losses: Losses,
}

impl FirstWalk {
    /// A request of the client is one in whatever version its row says.
    fn request(&mut self, row: &Object<'_>) {
        let event_type = row.text("event_type").unwrap_or_default();
        let is_request = matches!(&*event_type, b"infer.dispatch" | b"infer.request");
        if is_request && row.get("x_request_id").is_some_and(|json| value(json).is_set()) {
            let id = value(row.get("request_id").unwrap_or(b"null"));
            self.client_requests.insert(id.canonical());
        }
    }

    fn record(&mut self, contexts: &Contexts, row: &RecordRow<'_>, imports: &mut Vec<Value>) {
        let context = contexts.get(row.context);
        self.runs.insert(context.run_id.clone());
        self.identities.add_row(context, row);
        match row.kind {
            RecordType::Iteration if context.source == IMPORT_SOURCE.as_bytes() => {
                if let Some(step) = row.reference("iteration_ref") {
                    self.steps.entry(step).or_insert_with(|| Step::of(&row.metadata()));
                }
            }
            RecordType::Capabilities
                if row.fields.text("component").as_deref() == Some(b"engine_adapter") =>
            {
                let summary = row.metadata().object("summary");
                let Some(json) = summary.get("execution") else { return };
                if scalar(json) == Scalar::Object {
                    let execution = Object::of(json);
                    self.losses.add(&execution);
                    imports.push(with_collected(&execution, row));
                }
            }
            _ => {}
        }
    }
}

fn with_collected(execution: &Object<'_>, row: &RecordRow<'_>) -> Value {
    let collected = row.fields.get("collected").map_or_else(|| Value::Array(Vec::new()), value);
    let Value::Object(mut fields) = execution.to_value() else { return Value::Null };
    fields.retain(|(name, _)| name != b"collected");
    fields.push((b"collected".to_vec(), collected));
    Value::Object(fields)
}

#[derive(Default)]
struct Losses {
    /// The latest summary of each epoch, as JSON.
    summaries: BTreeMap<Text, Vec<u8>>,
    /// (epoch, `seq` by value) of finishes nothing took, over all imports.
    unattached: BTreeSet<(Text, String)>,
}

impl Losses {
    fn add(&mut self, execution: &Object<'_>) {
        for (epoch, summary) in execution.object("epochs").iter() {
            if scalar(summary) != Scalar::Object {
                continue;
            }
            self.summaries.insert(epoch.to_vec(), summary.to_vec());
            for seq in Object::of(summary).get("finish_unattached_seqs").and_then(items).unwrap_or_default() {
                self.unattached.extend(loose_int(seq).map(|seq| (epoch.to_vec(), seq.to_string())));
            }
        }
    }

    fn finish(&self, loss: &mut CaptureLoss) {
        loss.epochs = self.summaries.len() as u64;
        loss.finish_unattached = self.unattached.len() as u64;
        for summary in self.summaries.values() {
            let summary = Object::of(summary);
            let count = |name| summary.get(name).and_then(loose_int).unwrap_or(0);
            loss.missing_sequences = loss.missing_sequences.saturating_add(count("gaps"));
            loss.pending_iterations = loss.pending_iterations.saturating_add(count("iterations_pending"));
            loss.range_misses = loss.range_misses.saturating_add(count("range_misses"));
            loss.startup_unranged = loss.startup_unranged.saturating_add(count("startup_unranged"));
            let is_truncated = summary.get("truncated").is_some_and(|json| value(json).is_set());
            loss.truncated_epochs += u64::from(is_truncated);
            loss.read_errors += summary.get("errors").and_then(items).map_or(0, |errors| errors.len()) as u64;
            for (name, count) in summary.object("dropped").iter() {
                // What is no number says nothing (the reference stops at it).
                if let Some(count) = loose_int(count) {
                    let sum = loss.dropped.entry(shown(name)).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
        }
    }
}
