//! Whether a whole artifact agrees with itself (`artifact.md` §6).

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_reduce::RefBuf;
use stepscope_reduce::record::Text;

use crate::identity::{Identities, entity_of};
use crate::read::read_strict;
use crate::refusal::Refusal;
use crate::row::{RecordRow, Row};
use crate::schema::RecordType;

/// What a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A stay of a request in the engine.
    Attempt,
    /// A step.
    Iteration,
    /// A request.
    Request,
}

/// A reference to something the artifact does not hold (G4).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unresolved {
    /// The event that refers.
    pub event_id: Text,
    /// To what.
    pub kind: Named,
    /// By which name.
    pub reference: RefBuf,
}

#[derive(Default)]
struct Held {
    runs: FxHashMap<Text, usize>,
    iterations: FxHashSet<RefBuf>,
    requests: FxHashSet<RefBuf>,
    attempts: FxHashSet<(RefBuf, RefBuf)>,
}

impl Held {
    fn add(&mut self, row: &RecordRow<'_>) {
        match row.kind {
            RecordType::Iteration => self.iterations.extend(row.reference("iteration_ref")),
            RecordType::Request => {
                let Some(request) = row.reference("request_ref") else { return };
                self.attempts.extend(row.reference("attempt_ref").map(|attempt| (request.clone(), attempt)));
                self.requests.insert(request);
            }
            _ => {}
        }
    }

    /// The references of a row that lead nowhere.
    fn dangling(&self, row: &RecordRow<'_>) -> Vec<(Named, RefBuf)> {
        let mut dangling = Vec::new();
        if !matches!(row.kind, RecordType::Membership | RecordType::Stage | RecordType::ActivityRef) {
            return dangling;
        }
        if let Some(iteration) = row.reference("iteration_ref").filter(|r| !self.iterations.contains(r)) {
            dangling.push((Named::Iteration, iteration));
        }
        if row.kind == RecordType::ActivityRef {
            return dangling;
        }
        let Some(request) = row.reference("request_ref") else { return dangling };
        if !self.requests.contains(&request) {
            dangling.push((Named::Request, request));
        } else if let Some(attempt) = row.reference("attempt_ref") {
            let key = (request, attempt);
            if !self.attempts.contains(&key) {
                dangling.push((Named::Attempt, key.1));
            }
        }
        dangling
    }
}

/// Checks a whole artifact and lists its references that lead nowhere, by event id.
///
/// # Errors
/// A line that cannot be used, several runs (G1), or records that contradict each other (G2, G3).
pub fn consistency(bytes: &[u8]) -> Result<Vec<Unresolved>, Refusal> {
    let mut held = Held::default();
    let mut identities = Identities::default();
    read_strict(bytes, |placed| {
        let Row::Record(row) = placed.row else { return };
        let context = placed.contexts.get(row.context);
        if !held.runs.contains_key(&context.run_id) {
            held.runs.insert(context.run_id.clone(), placed.line);
        }
        identities.add_row(context, row);
        held.add(row);
    })?;
    if let Some((run, &line)) =
        held.runs.iter().max_by_key(|(_, line)| **line).filter(|_| held.runs.len() > 1)
    {
        return Err(Refusal::OtherRun { line, run: String::from_utf8_lossy(run).into_owned() });
    }
    let mut agreement = identities.doubtful();
    let mut agrees = Ok(());
    // Of the events of one entity, the one with the smallest event id stands for all (G3).
    let mut dangling: FxHashMap<Vec<u8>, Vec<Unresolved>> = FxHashMap::default();
    read_strict(bytes, |placed| {
        let (Row::Record(row), Ok(())) = (placed.row, &agrees) else { return };
        if let Some(agreement) = &mut agreement {
            agrees = agreement.row(placed.contexts, row);
        }
        let event_id = row.event_id();
        let unresolved: Vec<Unresolved> = held
            .dangling(row)
            .into_iter()
            .map(|(kind, reference)| Unresolved { event_id: event_id.to_vec(), kind, reference })
            .collect();
        let Some(entity) = entity_of(placed.contexts.get(row.context), row) else { return };
        if unresolved.is_empty() {
            return;
        }
        let known = dangling.entry(entity).or_default();
        if known.first().is_none_or(|known| event_id[..] < known.event_id[..]) {
            *known = unresolved;
        }
    })?;
    agrees?;
    let mut unresolved: Vec<Unresolved> = dangling.into_values().flatten().collect();
    unresolved.sort();
    Ok(unresolved)
}
