//! An artifact for a log without a client run (`artifact.md` §17, the recipe).

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{Epoch, Ints, Role, Stamps};
use stepscope_reduce::{ReadReduction, RunFacts};

use crate::artifact::Artifact;
use crate::capability::object;
use crate::import::{ImportOptions, Imported, append};
use crate::refusal::Refusal;
use crate::write::json::{self, Form};

/// The run, unless the caller names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunName {
    /// Also keys pseudonyms: the same run and epoch key give the same ones.
    pub run_id: String,
    /// The session.
    pub session_id: String,
}

impl RunName {
    /// A name made from the first engine epoch, so that the same log, also when it has grown, gives the same run.
    pub fn of(epochs: &[Epoch]) -> Self {
        let first = epochs.iter().find(|epoch| epoch.name.role == Role::Engine).or(epochs.first());
        let name = first.map_or_else(String::new, |epoch| format!("{}/{}", epoch.host_boot, epoch.name.text));
        let digest = Sha256::digest(name.as_bytes());
        let id: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Self { run_id: format!("log-{id}"), session_id: format!("log-{id}") }
    }
}

/// Writes a whole artifact that holds everything a log says: every step with members is kept, every request is
/// another client's.
///
/// # Errors
/// [`Refusal::NoEpoch`], or records that contradict each other; what the sink was given is then to be thrown away.
pub fn standalone(
    epochs: &[Epoch],
    name: &RunName,
    options: &ImportOptions<'_>,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Imported, Refusal> {
    Alone::reduce(epochs, name, options)?.write(epochs, options, sink)
}

/// The epochs of a log without a client run, reduced with every step kept.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The rows before the records.
    head: Vec<u8>,
    /// What the epochs were reduced to.
    pub reduced: ReadReduction,
}

impl Alone {
    /// Reduces the epochs of a log.
    ///
    /// # Errors
    /// [`Refusal::NoEpoch`].
    pub fn reduce(epochs: &[Epoch], name: &RunName, options: &ImportOptions<'_>) -> Result<Self, Refusal> {
        if epochs.is_empty() {
            return Err(Refusal::NoEpoch);
        }
        let head = head(epochs, name, options);
        let facts = Artifact::read(&head, options.reduce.rules)?.facts(options.server_stopped);
        // The window is on every engine's own wall clock: engines of several hosts are all kept.
        let reduced = options.reduce_all(epochs, &|epoch| {
            let client_clock_domain = Some(wall_domain(epoch).into_bytes());
            Cow::Owned(RunFacts { client_clock_domain, ..facts.clone() })
        });
        Ok(Self { head, reduced })
    }

    /// Writes the whole artifact; the arguments are those it was reduced with.
    ///
    /// # Errors
    /// Records that contradict each other; what the sink was given is then to be thrown away.
    pub fn write(
        &self,
        epochs: &[Epoch],
        options: &ImportOptions<'_>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Imported, Refusal> {
        let artifact = Artifact::read(&self.head, options.reduce.rules)?;
        sink(&self.head);
        append(&artifact, epochs, &self.reduced, options, sink)
    }
}

/// `reduce.md` I2, I3.
fn wall_domain(epoch: &Epoch) -> String {
    let hello = epoch.hello.as_ref();
    let host = hello.and_then(|hello| hello.host.as_deref()).unwrap_or(&epoch.host_boot);
    let boot = hello.and_then(|hello| hello.boot_id.as_deref()).unwrap_or("unknown-boot");
    format!("{host}/{boot}/unix_epoch_ns")
}

/// The three rows before the import: session, identity, and a window over the whole log.
fn head(epochs: &[Epoch], name: &RunName, options: &ImportOptions<'_>) -> Vec<u8> {
    let (start_ns, last_ns) = span(epochs);
    // A log that may still grow has a window without end, so that a later import keeps what is added.
    let is_over = epochs.iter().all(|epoch| matches!(epoch.state.name(), "ended" | "gone"));
    let (status, end_ns) = if is_over { ("completed", last_ns) } else { ("running", i64::MAX) };
    let first = epochs.iter().find(|epoch| epoch.name.role == Role::Engine).unwrap_or(&epochs[0]);
    let source_version = Value::String(options.reduce.source_version.clone());
    let rows = [
        object([
            ("schema_version", 1.into()),
            ("event_type", "infer.session".into()),
            ("session_id", name.session_id.as_str().into()),
            ("timestamp_ns", last_ns.into()),
            ("status", status.into()),
        ]),
        object([
            ("schema_version", 2.into()),
            ("event_type", "infer.artifact".into()),
            ("event_id", "artifact".into()),
            ("artifact_kind", "inference_jsonl".into()),
            ("created_at_ns", start_ns.max(0).into()),
            (
                "context",
                object([
                    ("run_id", name.run_id.as_str().into()),
                    ("session_id", name.session_id.as_str().into()),
                    ("producer_id", "stepscope".into()),
                    ("source", "stepscope".into()),
                    ("source_version", source_version),
                    ("clock_domain", wall_domain(first).as_str().into()),
                    ("clock_kind", "wall".into()),
                    ("collection_mode", "imported".into()),
                    ("provenance", "observed".into()),
                ]),
            ),
        ]),
        object([
            ("schema_version", 1.into()),
            ("event_type", "infer.incident_window".into()),
            ("session_id", name.session_id.as_str().into()),
            ("window", "post".into()),
            ("start_ns", start_ns.into()),
            ("end_ns", end_ns.into()),
        ]),
    ];
    let mut head = Vec::new();
    for row in rows {
        json::value(&row, Form::Spaced, &mut head);
        head.push(b'\n');
    }
    head
}

/// The earliest and latest wall stamps, ns, of all epochs.
fn span(epochs: &[Epoch]) -> (i64, i64) {
    let mut span: Option<(i64, i64)> = None;
    let mut see = |time: i64| {
        let (start, end) = span.unwrap_or((time, time));
        span = Some((start.min(time), end.max(time)));
    };
    for epoch in epochs {
        let log = &epoch.log;
        let stamps: [&Stamps; 9] = [
            &log.alias.at,
            &log.enqueued.at,
            &log.scheduled.start,
            &log.scheduled.end,
            &log.completed.at,
            &log.terminal.at,
            &log.pause.at,
            &log.cache_reset.start,
            &log.cache_reset.end,
        ];
        for stamps in stamps {
            ints(&stamps.wall).for_each(&mut see);
        }
        epoch.hello.iter().filter_map(|hello| hello.clock.wall_ns).for_each(&mut see);
        epoch.last_seen_wall_ns.into_iter().for_each(&mut see);
    }
    span.unwrap_or((0, 0))
}

fn ints(column: &Ints<i64>) -> impl Iterator<Item = i64> {
    (0..column.len()).filter_map(|row| column.int(row))
}
