//! What an import must know of the artifact it appends to (`artifact.md` §9, §10).

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_epoch_log::Epoch;
use stepscope_epoch_log::json::Scalar;
use stepscope_reduce::record::{Ownership, Text};
use stepscope_reduce::{KnownAttempt, Rules, RunFacts, RunRequest};

use crate::IMPORT_SOURCE;
use crate::client::ClientFacts;
use crate::context::Contexts;
use crate::identity::Identities;
use crate::object::{Object, Whole, scalar};
use crate::read::{Placed, read_strict};
use crate::refusal::Refusal;
use crate::row::{ClientRow, RecordRow, Row};
use crate::schema::{RecordType, present};

/// An artifact that was read strictly.
#[derive(Clone, Debug)]
pub struct Artifact<'a> {
    /// The file as it is.
    pub bytes: &'a [u8],
    /// Marks an earlier import left: epoch → `seq` (R6).
    pub marks: FxHashMap<Text, i64>,
    /// How earlier imports wrote other clients' IDs: epoch → schemes, in file order (R7).
    pub(crate) schemes: FxHashMap<Text, Vec<Text>>,
    pub(crate) contexts: Contexts,
    pub(crate) identities: Identities,
    /// The first row of another run or session (§10 step 6).
    pub(crate) stranger: Option<Refusal>,
    client: ClientFacts,
    held: RunFacts,
}

impl<'a> Artifact<'a> {
    /// Reads an artifact strictly (§11).
    ///
    /// # Errors
    /// The first line that cannot be used, or [`Refusal::NoIdentity`].
    pub fn read(bytes: &'a [u8], rules: Rules) -> Result<Self, Refusal> {
        let mut gathered = Gathered::default();
        let contexts = read_strict(bytes, |placed| gathered.row(placed, rules))?;
        let Some((run_id, session_id)) = gathered.identity.take() else {
            return Err(Refusal::NoIdentity);
        };
        let stranger = gathered.stranger(&run_id, &session_id);
        Ok(Self {
            bytes,
            marks: gathered.marks,
            schemes: gathered.schemes,
            contexts,
            identities: gathered.identities,
            stranger,
            client: gathered.client,
            held: RunFacts { run_id, session_id, ..gathered.held },
        })
    }

    /// The run it holds.
    pub fn run_id(&self) -> &[u8] {
        &self.held.run_id
    }

    /// The session it holds.
    pub fn session_id(&self) -> &[u8] {
        &self.held.session_id
    }

    /// The clock of the client's times (R4).
    pub fn client_clock_domain(&self) -> &[u8] {
        self.held.client_clock_domain.as_deref().unwrap_or_default()
    }

    /// How the latest import wrote other clients' IDs, by epoch: `pseudonym`, `raw` or `withheld` (R7).
    pub fn recorded_schemes(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.schemes.iter().filter_map(|(epoch, schemes)| Some((&epoch[..], &schemes.last()?[..])))
    }

    /// Puts the artifact's marks on epochs that were read without: as if they had been read with them.
    pub fn mark(&self, epochs: &mut [Epoch]) {
        for epoch in epochs {
            let mark = self.marks.get(epoch.name.text.as_bytes()).copied();
            epoch.first_new = mark.map_or(0, |mark| epoch.log.seq.partition_point(|&seq| seq <= mark));
            epoch.sequence.mark = mark;
        }
    }

    /// Everything a reduction is told (§9).
    pub fn facts(&self, server_stopped: bool) -> RunFacts {
        RunFacts {
            requests: self.client.requests.clone(),
            windows: self.client.windows(server_stopped),
            ..self.held.clone()
        }
    }
}

#[derive(Default)]
struct Gathered {
    /// Run and session of the first identity record.
    identity: Option<(Text, Text)>,
    /// The first row of each session and run that is named anywhere, with its line.
    sessions: FxHashMap<Text, usize>,
    runs: FxHashMap<Text, usize>,
    seen_contexts: FxHashSet<u32>,
    marks: FxHashMap<Text, i64>,
    schemes: FxHashMap<Text, Vec<Text>>,
    identities: Identities,
    client: ClientFacts,
    held: RunFacts,
}

impl Gathered {
    fn row(&mut self, placed: &Placed<'_, '_>, rules: Rules) {
        match placed.row {
            Row::Definition(_) => {}
            Row::Client(row) => {
                self.client_session(placed.line, row);
                self.client.add(row, rules);
            }
            Row::Record(row) => self.record(placed.line, row, placed.contexts),
        }
    }

    fn client_session(&mut self, line: usize, row: &ClientRow<'_>) {
        let Some(json) = present(&row.fields, "session_id") else { return };
        // Anything but a string is another session, whatever it says.
        let session = crate::object::string(json).map_or_else(|| json.to_vec(), |text| text.into_owned());
        self.sessions.entry(session).or_insert(line);
    }

    fn record(&mut self, line: usize, row: &RecordRow<'_>, contexts: &Contexts) {
        let context = contexts.get(row.context);
        if self.seen_contexts.insert(row.context) {
            self.sessions.entry(context.session_id.clone()).or_insert(line);
            self.runs.entry(context.run_id.clone()).or_insert(line);
        }
        self.identities.add_row(context, row);
        let is_import = context.source == IMPORT_SOURCE.as_bytes();
        match row.kind {
            RecordType::Artifact => {
                self.identity.get_or_insert_with(|| (context.run_id.clone(), context.session_id.clone()));
                self.held.client_clock_domain = Some(context.clock_domain.clone());
            }
            RecordType::ActivityRef => self.held.referenced_iterations.extend(row.reference("iteration_ref")),
            RecordType::Iteration => self.held.existing_iterations.extend(row.reference("iteration_ref")),
            RecordType::Request => self.request(row, is_import),
            RecordType::ClockAlignment => {
                self.held.existing_alignments.insert(row.event_id().into_owned());
            }
            RecordType::Stage if is_import => {
                self.held.existing_stages.insert(row.event_id().into_owned());
            }
            RecordType::Capabilities => self.capabilities(row),
            RecordType::Stage | RecordType::Membership => {}
        }
    }

    fn request(&mut self, row: &RecordRow<'_>, is_import: bool) {
        let Some(attempt) = row.reference("attempt_ref") else { return };
        let metadata = row.metadata();
        if is_import && let (Some(epoch), Some(seq)) = (metadata.text("epoch"), metadata.int("admission_seq"))
        {
            self.held.existing_admissions.insert((epoch.into_owned(), seq), attempt.clone());
        }
        let owned = |name| metadata.text(name).map(|text| text.into_owned());
        let run = owned("request_id").zip(owned("x_request_id")).map(|(request_id, x_request_id)| {
            let request =
                RunRequest { request_id, x_request_id, case_id: owned("case_id"), phase: owned("phase") };
            (request, owned("external").unwrap_or_default())
        });
        let known = KnownAttempt {
            ownership: metadata.text("ownership").and_then(|name| Ownership::named(&name)),
            run,
            completion_index: metadata.int("completion_index"),
        };
        self.held.existing_attempts.insert(attempt, known);
    }

    fn capabilities(&mut self, row: &RecordRow<'_>) {
        if row.fields.text("component").as_deref() != Some(b"engine_adapter") {
            return;
        }
        let execution = row.metadata().object("summary").object("execution");
        for (epoch, mark) in execution.object("high_water").iter() {
            let Some(mark) = Whole::of(mark).map(Whole::saturated) else { continue };
            let known = self.marks.entry(epoch.to_vec()).or_insert(mark);
            *known = mark.max(*known);
        }
        for (epoch, summary) in execution.object("epochs").iter() {
            if scalar(summary) != Scalar::Object {
                continue;
            }
            if let Some(scheme) = Object::of(summary).text("foreign_ids") {
                self.schemes.entry(epoch.to_vec()).or_default().push(scheme.into_owned());
            }
        }
    }

    fn stranger(&self, run_id: &[u8], session_id: &[u8]) -> Option<Refusal> {
        let first = |named: &FxHashMap<Text, usize>, own: &[u8]| {
            let others = named.iter().filter(|(name, _)| *name != own);
            others
                .min_by_key(|(_, line)| **line)
                .map(|(name, line)| (*line, String::from_utf8_lossy(name).into_owned()))
        };
        let session = first(&self.sessions, session_id);
        let run = first(&self.runs, run_id);
        match (session, run) {
            (Some((line, _)), Some((earlier, run))) if earlier < line => {
                Some(Refusal::OtherRun { line: earlier, run })
            }
            (Some((line, session)), _) => Some(Refusal::OtherSession { line, session }),
            (None, Some((line, run))) => Some(Refusal::OtherRun { line, run }),
            (None, None) => None,
        }
    }
}
