//! Importing the epochs of a log into an artifact (`artifact.md` §10).
//!
//! Nothing here touches a file. What is to be written comes out as bytes, and only when the whole import is known to
//! be accepted may the caller replace a file: the envelope first, then the artifact, each written beside the old one
//! under another name, synced and renamed over it. So a refused import, and one that is killed, leaves every file
//! either as it was or complete.

use std::borrow::Cow;

use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{Epoch, Role};
use stepscope_reduce::{Options, ReadReduction, Reduction, Rules, RunFacts, reduce};

use crate::artifact::Artifact;
use crate::capability::{self, CapabilityContext, Execution, ImportingProcess, RecordCounts};
use crate::context::Context;
use crate::envelope::{EnvelopeEntry, envelope};
use crate::read::read_strict;
use crate::refusal::Refusal;
use crate::row::Row;
use crate::write::rows::{RowWriter, record_row};

/// How a caller spreads the epochs over its threads: calls the function once for each number below the count, in any
/// order, and hands the results back in the order of the numbers.
pub type ReduceSpread<'a> =
    &'a dyn Fn(usize, &(dyn Fn(usize) -> Option<Reduction> + Sync)) -> Vec<Option<Reduction>>;

/// How to import.
#[derive(Clone, Default)]
pub struct ImportOptions<'a> {
    /// How to reduce; its `source_version` also stands in the capability records.
    pub reduce: Options,
    /// The recorded server is known not to run any more (R3).
    pub server_stopped: bool,
    /// What the capability record calls the hook directory.
    pub directory: &'a str,
    /// What the reader noted beside the epochs.
    pub notes: &'a [String],
    /// Who imports; `None` names nobody, so that every machine writes the same bytes.
    pub process: Option<&'a ImportingProcess>,
    /// The envelope's entry, and the envelope as it is; `None` leaves envelopes alone.
    pub envelope: Option<(EnvelopeEntry<'a>, Option<&'a [u8]>)>,
    /// Epochs are reduced one after the other without it.
    pub spread: Option<ReduceSpread<'a>>,
}

impl ImportOptions<'_> {
    /// Reduces the engine epochs, each with facts of its own.
    pub(crate) fn reduce_all<'f>(
        &self,
        epochs: &[Epoch],
        facts: &(dyn Fn(&Epoch) -> Cow<'f, RunFacts> + Sync),
    ) -> ReadReduction {
        let options = &self.reduce;
        let one = |at: usize| {
            let epoch = &epochs[at];
            (epoch.name.role == Role::Engine).then(|| reduce(epoch, &facts(epoch), options))
        };
        let reduced = match self.spread {
            Some(spread) => spread(epochs.len(), &one),
            None => (0..epochs.len()).map(one).collect(),
        };
        ReadReduction { epochs: reduced, raw_foreign_ids: self.reduce.raw_foreign_ids }
    }
}

/// What an import came to.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The whole new envelope, when one was asked for.
    pub envelope: Option<Vec<u8>>,
    /// Records written.
    pub counts: RecordCounts,
    /// Marks by epoch name.
    pub high_water: Vec<(String, i64)>,
    /// Summaries by epoch name (`reduce.md` §13).
    pub epochs: Value,
    /// `hmac-sha256-keyed`, `raw` or `withheld`.
    pub pseudonyms: &'static str,
    /// Bytes appended.
    pub appended: u64,
}

/// The files an import replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The run envelope.
    Envelope,
    /// The artifact.
    Artifact,
}

/// An import that was accepted, with everything it appends in memory.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The artifact as it is.
    pub old: &'a [u8],
    /// What follows it.
    pub appended: Vec<u8>,
    /// What the import came to.
    pub imported: Imported,
}

impl Plan<'_> {
    /// The files to replace, in this order, each with its new content in pieces.
    pub fn files(&self) -> Vec<(Target, Vec<&[u8]>)> {
        let envelope = self.imported.envelope.iter().map(|bytes| (Target::Envelope, vec![&bytes[..]]));
        envelope.chain([(Target::Artifact, vec![self.old, &self.appended])]).collect()
    }
}

/// Imports the epochs of one read, which must have been read with the artifact's [marks](Artifact::marks).
///
/// # Errors
/// Every [`Refusal`] but those of reading the artifact; nothing may then be written.
pub fn import<'a>(
    artifact: &Artifact<'a>,
    epochs: &[Epoch],
    options: &ImportOptions<'_>,
) -> Result<Plan<'a>, Refusal> {
    let mut appended = Vec::new();
    let mut sink = |piece: &[u8]| appended.extend_from_slice(piece);
    let imported = import_to(artifact, epochs, options, &mut sink)?;
    Ok(Plan { old: artifact.bytes, appended, imported })
}

/// As [`import`], but what follows the old bytes goes to a sink, piece by piece. The sink has then been given
/// something even when the import is refused, so it must write to a file that can be thrown away.
///
/// # Errors
/// As [`import`].
pub fn import_to(
    artifact: &Artifact<'_>,
    epochs: &[Epoch],
    options: &ImportOptions<'_>,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Imported, Refusal> {
    check_epochs(artifact, epochs, &options.reduce)?;
    let facts = artifact.facts(options.server_stopped);
    let reduced = options.reduce_all(epochs, &|_| Cow::Borrowed(&facts));
    append(artifact, epochs, &reduced, options, sink)
}

/// That there is something to import and that it names other clients' requests as before (§10 steps 3 and 4).
///
/// # Errors
/// [`Refusal::NoEpoch`], [`Refusal::Scheme`].
pub fn check_epochs(artifact: &Artifact<'_>, epochs: &[Epoch], options: &Options) -> Result<(), Refusal> {
    if epochs.is_empty() {
        return Err(Refusal::NoEpoch);
    }
    for epoch in epochs.iter().filter(|epoch| epoch.name.role == Role::Engine) {
        let present = match (options.raw_foreign_ids, &epoch.key) {
            (true, _) => "raw",
            (false, Some(_)) => "pseudonym",
            (false, None) => continue,
        };
        let recorded = artifact.schemes.get(epoch.name.text.as_bytes()).map_or(&[][..], Vec::as_slice);
        let recorded = match options.rules {
            Rules::Reference => recorded.last().filter(|scheme| *scheme != b"withheld"),
            // A scheme stays in the file, whatever a later import withheld.
            Rules::Corrected => recorded.iter().rev().find(|scheme| *scheme != b"withheld"),
        };
        if let Some(recorded) = recorded.filter(|recorded| *recorded != present.as_bytes()) {
            let recorded = String::from_utf8_lossy(recorded).into_owned();
            return Err(Refusal::Scheme { epoch: epoch.name.text.clone(), recorded, present });
        }
    }
    Ok(())
}

/// Appends what the epochs were reduced to (§10 steps 6 to 8). For callers that reduce epochs side by side; everyone
/// else calls [`import_to`].
///
/// # Errors
/// Those of steps 6 to 8.
pub fn append(
    artifact: &Artifact<'_>,
    epochs: &[Epoch],
    reduced: &ReadReduction,
    options: &ImportOptions<'_>,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Imported, Refusal> {
    let new_envelope = prepare(artifact, options)?;
    let mut writer = begin(artifact, sink);
    let mut counts = RecordCounts::default();
    for (epoch, reduction) in epochs.iter().zip(&reduced.epochs) {
        let Some(reduction) = reduction.as_ref().filter(|reduction| !reduction.is_empty()) else { continue };
        let index = writer.contexts.intern(Context::of_records(reduction.context()));
        let id = writer.context_id(index)?;
        reduction.each_record(epoch, &mut |record| {
            counts.count(record);
            writer.record(index, &id, record);
        });
    }
    let imported = Imported {
        envelope: new_envelope,
        counts,
        high_water: reduced.high_water(epochs),
        epochs: reduced.epoch_summaries(epochs),
        pseudonyms: reduced.pseudonyms(),
        appended: 0,
    };
    let execution = Execution {
        directory: options.directory,
        counts,
        high_water: &imported.high_water,
        epochs: imported.epochs.clone(),
        pseudonyms: imported.pseudonyms,
        notes: options.notes,
    };
    capabilities(artifact, options, execution.to_value(), counts, &mut writer)?;
    writer.finish();
    agree(artifact, epochs, reduced, &writer)?;
    Ok(Imported { appended: writer.written(), ..imported })
}

/// Records that an import failed, with its reason, in place of its records (§14).
///
/// # Errors
/// A row of another run or session, or an envelope that does not fit.
pub fn append_failure<'a>(
    artifact: &Artifact<'a>,
    message: &str,
    options: &ImportOptions<'_>,
) -> Result<Plan<'a>, Refusal> {
    let new_envelope = prepare(artifact, options)?;
    let mut appended = Vec::new();
    let mut sink = |piece: &[u8]| appended.extend_from_slice(piece);
    let mut writer = begin(artifact, &mut sink);
    let execution = capability::failed(options.directory, message);
    let counts = RecordCounts::default();
    capabilities(artifact, options, execution.clone(), counts, &mut writer)?;
    writer.finish();
    agree(artifact, &[], &ReadReduction::default(), &writer)?;
    let imported = Imported {
        envelope: new_envelope,
        counts,
        high_water: Vec::new(),
        epochs: capability::object([]),
        pseudonyms: "",
        appended: writer.written(),
    };
    drop(writer);
    Ok(Plan { old: artifact.bytes, appended, imported })
}

/// Steps 6 and 7, the envelope part.
fn prepare(artifact: &Artifact<'_>, options: &ImportOptions<'_>) -> Result<Option<Vec<u8>>, Refusal> {
    if let Some(stranger) = &artifact.stranger {
        return Err(stranger.clone());
    }
    let new = |(entry, old): &(EnvelopeEntry<'_>, Option<&[u8]>)| {
        envelope(*old, artifact.run_id(), artifact.session_id(), entry)
    };
    options.envelope.as_ref().map(new).transpose()
}

fn begin<'s>(artifact: &Artifact<'_>, sink: &'s mut dyn FnMut(&[u8])) -> RowWriter<'s> {
    let mut writer = RowWriter::new(artifact.contexts.clone(), artifact.identities.clone(), sink);
    if !matches!(artifact.bytes.last(), None | Some(b'\n')) {
        writer.verbatim(b"\n");
    }
    writer
}

fn capabilities(
    artifact: &Artifact<'_>,
    options: &ImportOptions<'_>,
    execution: Value,
    counts: RecordCounts,
    writer: &mut RowWriter<'_>,
) -> Result<(), Refusal> {
    let context = CapabilityContext {
        run_id: artifact.run_id(),
        session_id: artifact.session_id(),
        source_version: &options.reduce.source_version,
        process: options.process,
        clock_domain: artifact.client_clock_domain(),
    };
    let index = writer.contexts.intern(context.context());
    let id = writer.context_id(index)?;
    let event_id = |component| {
        capability::event_id(component, artifact.run_id(), artifact.session_id(), artifact.bytes.len())
    };
    writer.row(&capability::engine_row(&event_id("engine_adapter"), &id, execution, counts));
    writer.row(&capability::trace_row(&event_id("trace_collector"), &id));
    Ok(())
}

/// Step 7: that old and new records agree where they are about the same thing. What is written is only walked again
/// when something is.
fn agree(
    artifact: &Artifact<'_>,
    epochs: &[Epoch],
    reduced: &ReadReduction,
    writer: &RowWriter<'_>,
) -> Result<(), Refusal> {
    let Some(mut agreement) = writer.identities.doubtful() else { return Ok(()) };
    let mut first = Ok(());
    read_strict(artifact.bytes, |placed| {
        if let (Row::Record(row), Ok(())) = (placed.row, &first) {
            first = agreement.row(placed.contexts, row);
        }
    })?;
    let mut contexts = writer.contexts.clone();
    let mut text = Vec::new();
    for (epoch, reduction) in epochs.iter().zip(&reduced.epochs) {
        let Some(reduction) = reduction else { continue };
        let index = contexts.intern(Context::of_records(reduction.context()));
        let (id, _) = contexts.id_for(index)?;
        reduction.each_record(epoch, &mut |record| {
            if first.is_err() || !agreement.concerns(contexts.get(index), record) {
                return;
            }
            text.clear();
            record_row(&id, record, &mut text);
            if let Ok(Row::Record(row)) = Row::parse(&text, &mut contexts) {
                first = agreement.row(&contexts, &row);
            }
        });
    }
    first
}
