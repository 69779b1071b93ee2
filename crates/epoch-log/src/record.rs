//! One line of a segment becomes one row of a table (`raw-log.md` §6, `reading.md` §6.3). The line is passed over
//! once: fields land in slots by name, whatever their order or type, and go to their columns when the line is
//! known to be good.

use crate::column::Cell;
use crate::json::{self, Fault, Literal, Scalar, Scanner, Str};
use crate::problem::ProblemKind;
use crate::strings::{Interner, TextId, word};
use crate::tables::{KINDS, Kind, Stamps, Tables};

/// Where a value stands in its line, or the value itself.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Absent,
    Null,
    Bool(bool),
    Int(i64),
    /// An integer beyond 64 bits.
    Big(u32, u32),
    /// Start and end, without the quotes.
    Plain(u32, u32),
    Escaped(u32, u32),
    /// A float, an array or an object.
    Other(u32, u32),
}

macro_rules! fields {
    ($index:ident, $names:ident: $($field:ident = $name:literal),* $(,)?) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        enum $index { $($field),* }
        /// Names as they stand in a compact line.
        const $names: &[Literal] = &[$(Literal::new(concat!("\"", $name, "\":"))),*];
    };
}

fields! { Top, TOP:
    FORMAT = "format", KIND = "kind", EPOCH = "epoch", SEQ = "seq", INTERNAL = "internal", EXTERNAL = "external",
    WALL = "wall_ns", MONO = "mono_ns", AFTER = "wall_after_ns", STRUCTURED_OUTPUT = "structured_output",
    RESUMABLE = "resumable", ITERATION = "iteration", START_WALL = "start_wall_ns", START_MONO = "start_mono_ns",
    START_AFTER = "start_wall_after_ns", END_WALL = "end_wall_ns", END_MONO = "end_mono_ns",
    END_AFTER = "end_wall_after_ns", TOTAL_TOKENS = "total_tokens", ZERO_TOKEN = "zero_token",
    PREEMPTED = "preempted", PAUSE_STATE = "pause_state", MEMBERS = "members", UPDATE_FAILED = "update_failed",
    STATUS = "status", FINISH_REASON = "finish_reason", OUTPUT_TOKENS = "output_tokens", FROM = "from", TO = "to",
    RESET_RUNNING = "reset_running_requests", RESET_CONNECTOR = "reset_connector", RUNNING = "running",
    SUCCEEDED = "succeeded", RAISED = "raised", LAST_SEQ = "last_seq", DROPPED = "dropped", ERRORS = "errors",
    BYTES = "bytes", CAPPED = "capped", QUEUED = "queued", PENDING = "pending", RESERVED = "reserved",
    RANGE_MISSES = "range_misses", STARTUP_UNRANGED = "startup_unranged", PENDING_SAMPLES = "pending_samples",
}

fields! { Of, MEMBER:
    INTERNAL = "internal", SIGHTING = "sighting", PHASE = "phase", SCHEDULED = "scheduled",
    COMPUTED_BEFORE = "computed_before", PROMPT_TOKENS = "prompt_tokens", PREFILL_SCHEDULED = "prefill_scheduled",
    PAST_PROMPT_SCHEDULED = "past_prompt_scheduled", DRAFTS_SCHEDULED = "drafts_scheduled",
    CACHED_AT_ADMISSION = "cached_at_admission", RECOMPUTE = "recompute", OUTPUT_BEFORE = "output_before",
    RESUMABLE = "resumable", OUTCOME = "outcome", STALE = "stale", SAMPLED = "sampled",
    ACCEPTED_DRAFTS = "accepted_drafts", RETAINED = "retained", FINISH_REASON = "finish_reason",
    COMPUTED_AFTER = "computed_after",
}

const TOP_LEN: usize = Top::PENDING_SAMPLES as usize + 1;
const MEMBER_LEN: usize = Of::COMPUTED_AFTER as usize + 1;
/// Stands for a name that no table has; it is also the place before the first name.
const OTHER_NAME: usize = 63;

/// Guesses the next name from the one before it: lines of one kind repeat their order.
struct Order {
    names: &'static [Literal],
    next: [[u8; OTHER_NAME + 1]; KINDS + 1],
}

impl Order {
    fn new(names: &'static [Literal]) -> Self {
        Self { names, next: [[0; OTHER_NAME + 1]; KINDS + 1] }
    }

    /// Passes over a name and its colon.
    #[inline]
    fn name(
        &mut self,
        scanner: &mut Scanner<'_>,
        kind: usize,
        before: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<usize, Fault> {
        let guess = usize::from(self.next[kind][before]);
        if scanner.literal(&self.names[guess]) {
            return Ok(guess);
        }
        let name = scanner.name()?;
        let name = name.bytes(buffer);
        let unquoted = |known: &Literal| &known.text().as_bytes()[1..known.text().len() - 2];
        let found = self.names.iter().position(|known| unquoted(known) == name);
        if let Some(found) = found {
            self.next[kind][before] = found as u8;
        }
        Ok(found.unwrap_or(OTHER_NAME))
    }
}

/// Why a line is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejected {
    pub(crate) kind: ProblemKind,
    pub(crate) what: String,
}

/// A remark on a line that is kept.
pub(crate) type Remark = (ProblemKind, String);

/// The format this crate reads.
pub const FORMAT: &str = "stormlog.vllm_hook/1";

/// Takes lines apart, one after the other.
pub(crate) struct RecordParser {
    top_order: Order,
    member_order: Order,
    top: [Slot; TOP_LEN],
    members: Vec<[Slot; MEMBER_LEN]>,
    members_skipped: usize,
    preempted: Vec<Slot>,
    running: Vec<Slot>,
    buffer: Vec<u8>,
    pub(crate) remarks: Vec<Remark>,
}

impl RecordParser {
    pub(crate) fn new() -> Self {
        Self {
            top_order: Order::new(TOP),
            member_order: Order::new(MEMBER),
            top: [Slot::Absent; TOP_LEN],
            members: Vec::new(),
            members_skipped: 0,
            preempted: Vec::new(),
            running: Vec::new(),
            buffer: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Adds a line's record to `tables`. `epoch` is the directory's name; when it is empty, the first good line
    /// names it.
    pub(crate) fn line(
        &mut self,
        line: &[u8],
        epoch: &mut String,
        texts: &mut Interner,
        tables: &mut Tables,
    ) -> Result<(), Rejected> {
        self.take_apart(line)?;
        let mut row = Row { line, texts, buffer: &mut self.buffer, remarks: &mut self.remarks };
        let top = &self.top;
        let at = |field: Top| top[field as usize];

        if row.string(at(Top::FORMAT)) != Some(FORMAT.as_bytes()) {
            return Err(Rejected {
                kind: ProblemKind::LineWrongFormat,
                what: format!("format is {}, expected \"{FORMAT}\"", row.found(at(Top::FORMAT))),
            });
        }
        let named = row.string(at(Top::EPOCH)).map(<[u8]>::to_vec);
        if !epoch.is_empty() && named.as_deref() != Some(epoch.as_bytes()) {
            return Err(Rejected {
                kind: ProblemKind::LineWrongEpoch,
                what: format!("epoch is {}, expected \"{epoch}\"", row.found(at(Top::EPOCH))),
            });
        }
        let seq = match at(Top::SEQ) {
            Slot::Int(seq) if seq >= 0 => seq,
            other => {
                let what =
                    format!("seq is {}, a non-negative integer of 64 bits is required", row.found(other));
                return Err(Rejected { kind: ProblemKind::LineBadSeq, what });
            }
        };
        let Some(kind) = row.string(at(Top::KIND)).filter(|kind| !kind.is_empty()) else {
            let what = format!("kind is {}, a non-empty string is required", row.found(at(Top::KIND)));
            return Err(Rejected { kind: ProblemKind::LineBadKind, what });
        };
        let kind = kind_named(kind);
        if epoch.is_empty()
            && let Some(name) = named.and_then(|name| String::from_utf8(name).ok())
        {
            *epoch = name;
        }

        tables.seq.push(seq);
        tables.kind.push(kind as u8);
        let stamp = |row: &mut Row<'_>, stamps: &mut Stamps, wall, mono, after| {
            stamps.push(row.int(at(wall)), row.int(at(mono)), row.int(at(after)));
        };
        match kind {
            Kind::Hello => {
                tables.hello.seq.push(seq);
                tables.hello.json.push(row.texts.intern(line), None);
            }
            Kind::Alias => {
                let table = &mut tables.alias;
                table.seq.push(seq);
                let (text, other) = row.name(at(Top::INTERNAL));
                table.internal.push(text, other);
                table.external.push(row.text(at(Top::EXTERNAL)));
                stamp(&mut row, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
            }
            Kind::Enqueued => {
                let table = &mut tables.enqueued;
                table.seq.push(seq);
                let (text, other) = row.name(at(Top::INTERNAL));
                table.internal.push(text, other);
                table.structured_output.push(row.flag(at(Top::STRUCTURED_OUTPUT)));
                table.resumable.push(row.flag(at(Top::RESUMABLE)));
                stamp(&mut row, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
            }
            Kind::Scheduled => {
                let table = &mut tables.scheduled;
                table.seq.push(seq);
                let (text, other) = row.name(at(Top::ITERATION));
                table.iteration.push(text, other);
                stamp(&mut row, &mut table.start, Top::START_WALL, Top::START_MONO, Top::START_AFTER);
                stamp(&mut row, &mut table.end, Top::END_WALL, Top::END_MONO, Top::END_AFTER);
                table.total_tokens.push(row.int(at(Top::TOTAL_TOKENS)));
                table.zero_token.push(row.flag(at(Top::ZERO_TOKEN)));
                for &id in &self.preempted {
                    let (text, other) = row.name(id);
                    table.preempted.rows.push(text, other);
                }
                let end = table.preempted.rows.text.len();
                table.preempted.close(end, row.no_array(at(Top::PREEMPTED), "preempted"));
                table.pause_state.push(row.text(at(Top::PAUSE_STATE)));
                let members = &mut table.members.rows;
                for slots in &self.members {
                    let at = |field: Of| slots[field as usize];
                    let (text, other) = row.name(at(Of::INTERNAL));
                    members.internal.push(text, other);
                    members.sighting.push(row.text(at(Of::SIGHTING)));
                    members.phase.push(row.text(at(Of::PHASE)));
                    members.scheduled.push(row.int(at(Of::SCHEDULED)));
                    members.computed_before.push(row.int(at(Of::COMPUTED_BEFORE)));
                    members.prompt_tokens.push(row.int(at(Of::PROMPT_TOKENS)));
                    members.prefill_scheduled.push(row.int(at(Of::PREFILL_SCHEDULED)));
                    members.past_prompt_scheduled.push(row.int(at(Of::PAST_PROMPT_SCHEDULED)));
                    members.drafts_scheduled.push(row.int(at(Of::DRAFTS_SCHEDULED)));
                    members.cached_at_admission.push(row.int(at(Of::CACHED_AT_ADMISSION)));
                    members.recompute.push(row.flag(at(Of::RECOMPUTE)));
                    members.output_before.push(row.int(at(Of::OUTPUT_BEFORE)));
                    members.resumable.push(row.flag(at(Of::RESUMABLE)));
                }
                row.skipped(self.members_skipped);
                let end = members.internal.text.len();
                table.members.close(end, row.no_array(at(Top::MEMBERS), "members"));
            }
            Kind::Completed => {
                let table = &mut tables.completed;
                table.seq.push(seq);
                let (text, other) = row.name(at(Top::ITERATION));
                table.iteration.push(text, other);
                stamp(&mut row, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
                table.update_failed.push(row.flag(at(Top::UPDATE_FAILED)));
                let outcomes = &mut table.members.rows;
                for slots in &self.members {
                    let at = |field: Of| slots[field as usize];
                    let (text, other) = row.name(at(Of::INTERNAL));
                    outcomes.internal.push(text, other);
                    outcomes.outcome.push(row.text(at(Of::OUTCOME)));
                    outcomes.stale.push(row.flag(at(Of::STALE)));
                    outcomes.sampled.push(row.int(at(Of::SAMPLED)));
                    outcomes.accepted_drafts.push(row.int(at(Of::ACCEPTED_DRAFTS)));
                    outcomes.retained.push(row.int(at(Of::RETAINED)));
                    outcomes.finish_reason.push(row.text(at(Of::FINISH_REASON)));
                    outcomes.computed_after.push(row.int(at(Of::COMPUTED_AFTER)));
                }
                row.skipped(self.members_skipped);
                let end = outcomes.internal.text.len();
                table.members.close(end, row.no_array(at(Top::MEMBERS), "members"));
            }
            Kind::Terminal => {
                let table = &mut tables.terminal;
                table.seq.push(seq);
                let (text, other) = row.name(at(Top::INTERNAL));
                table.internal.push(text, other);
                table.status.push(row.text(at(Top::STATUS)));
                table.finish_reason.push(row.text(at(Top::FINISH_REASON)));
                table.output_tokens.push(row.int(at(Top::OUTPUT_TOKENS)));
                stamp(&mut row, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
            }
            Kind::Pause => {
                let table = &mut tables.pause;
                table.seq.push(seq);
                table.from.push(row.text(at(Top::FROM)));
                table.to.push(row.text(at(Top::TO)));
                stamp(&mut row, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
            }
            Kind::CacheReset => {
                let table = &mut tables.cache_reset;
                table.seq.push(seq);
                table.reset_running_requests.push(row.flag(at(Top::RESET_RUNNING)));
                table.reset_connector.push(row.flag(at(Top::RESET_CONNECTOR)));
                for &id in &self.running {
                    let (text, other) = row.name(id);
                    table.running.rows.push(text, other);
                }
                let end = table.running.rows.text.len();
                table.running.close(end, row.no_array(at(Top::RUNNING), "running"));
                stamp(&mut row, &mut table.start, Top::START_WALL, Top::START_MONO, Top::START_AFTER);
                table.succeeded.push(row.flag(at(Top::SUCCEEDED)));
                table.raised.push(row.flag(at(Top::RAISED)));
                stamp(&mut row, &mut table.end, Top::END_WALL, Top::END_MONO, Top::END_AFTER);
            }
            Kind::Heartbeat => {
                let table = &mut tables.heartbeat;
                table.seq.push(seq);
                stamp(&mut row, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
                table.last_seq.push(row.int(at(Top::LAST_SEQ)));
                table.dropped.push(row.json(at(Top::DROPPED)));
                table.errors.push(row.int(at(Top::ERRORS)));
                table.bytes.push(row.int(at(Top::BYTES)));
                table.capped.push(row.flag(at(Top::CAPPED)));
                table.queued.push(row.int(at(Top::QUEUED)));
                table.pending.push(row.int(at(Top::PENDING)));
                table.reserved.push(row.int(at(Top::RESERVED)));
                table.range_misses.push(row.int(at(Top::RANGE_MISSES)));
                table.startup_unranged.push(row.int(at(Top::STARTUP_UNRANGED)));
                table.pending_samples.push(row.int(at(Top::PENDING_SAMPLES)));
            }
            Kind::Goodbye => {
                tables.goodbye.seq.push(seq);
                stamp(&mut row, &mut tables.goodbye.at, Top::WALL, Top::MONO, Top::AFTER);
                tables.goodbye.last_seq.push(row.int(at(Top::LAST_SEQ)));
            }
            Kind::Unknown => {
                let (kind, _) = row.name(at(Top::KIND));
                tables.unknown.seq.push(seq);
                tables.unknown.kind.push(kind, None);
                tables.unknown.json.push(row.texts.intern(line), None);
            }
        }
        Ok(())
    }

    /// Fills the slots from a line.
    fn take_apart(&mut self, line: &[u8]) -> Result<(), Rejected> {
        self.top = [Slot::Absent; TOP_LEN];
        self.members.clear();
        self.preempted.clear();
        self.running.clear();
        self.members_skipped = 0;
        let mut scanner = Scanner::new(line);
        let invalid = |fault: Fault| Rejected { kind: ProblemKind::LineInvalidJson, what: fault.to_string() };
        match scanner.value().map_err(invalid)? {
            Scalar::Object => self.fields(&mut scanner).and_then(|()| scanner.end()).map_err(invalid),
            value => {
                if let Scalar::Array = value {
                    scanner.skip_rest(value).map_err(invalid)?;
                }
                scanner.end().map_err(invalid)?;
                let what = "the line is JSON but no object".to_owned();
                Err(Rejected { kind: ProblemKind::LineNotObject, what })
            }
        }
    }

    fn fields(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Fault> {
        if scanner.closes_at_once(b'}') {
            return Ok(());
        }
        let mut kind = KINDS;
        let mut before = OTHER_NAME;
        loop {
            let field = self.top_order.name(scanner, kind, before, &mut self.buffer)?;
            let slot = match field {
                f if f == Top::MEMBERS as usize => self.member_array(scanner, kind)?,
                f if f == Top::PREEMPTED as usize => array_of_slots(scanner, &mut self.preempted)?,
                f if f == Top::RUNNING as usize => array_of_slots(scanner, &mut self.running)?,
                _ => slot(scanner)?,
            };
            if field < TOP_LEN {
                self.top[field] = slot;
                if field == Top::KIND as usize
                    && let Slot::Plain(start, end) = slot
                {
                    kind = kind_named(scanner.between(start as usize, end as usize)) as usize;
                }
            }
            before = field;
            if !scanner.goes_on(b'}')? {
                return Ok(());
            }
        }
    }

    fn member_array(&mut self, scanner: &mut Scanner<'_>, kind: usize) -> Result<Slot, Fault> {
        // Of a doubled name the last value counts.
        self.members.clear();
        self.members_skipped = 0;
        let (outer, opened) = slot_start(scanner)?;
        let Some(Scalar::Array) = opened else {
            return finish_slot(scanner, outer, opened);
        };
        if scanner.closes_at_once(b']') {
            return Ok(Slot::Null);
        }
        loop {
            let (start, opened) = slot_start(scanner)?;
            if let Some(Scalar::Object) = opened {
                self.members.push([Slot::Absent; MEMBER_LEN]);
                self.member(scanner, kind)?;
            } else {
                finish_slot(scanner, start, opened)?;
                self.members_skipped += 1;
            }
            if !scanner.goes_on(b']')? {
                return Ok(Slot::Null);
            }
        }
    }

    #[inline]
    fn member(&mut self, scanner: &mut Scanner<'_>, kind: usize) -> Result<(), Fault> {
        if scanner.closes_at_once(b'}') {
            return Ok(());
        }
        let at = self.members.len() - 1;
        let mut before = OTHER_NAME;
        loop {
            let field = self.member_order.name(scanner, kind, before, &mut self.buffer)?;
            let value = slot(scanner)?;
            if field < MEMBER_LEN {
                self.members[at][field] = value;
            }
            before = field;
            if !scanner.goes_on(b'}')? {
                return Ok(());
            }
        }
    }
}

fn kind_named(name: &[u8]) -> Kind {
    Kind::ALL[..KINDS - 1]
        .iter()
        .copied()
        .find(|kind| kind.name().as_bytes() == name)
        .unwrap_or(Kind::Unknown)
}

/// The start of a value: a slot when it is a scalar, else what was opened.
#[inline]
fn slot_start<'a>(scanner: &mut Scanner<'a>) -> Result<(Slot, Option<Scalar<'a>>), Fault> {
    scanner.space();
    let start = scanner.at();
    let value = scanner.value()?;
    let end = scanner.at() as u32;
    let from = start as u32;
    Ok(match value {
        Scalar::Int(value) => (Slot::Int(value), None),
        Scalar::String(Str::Plain(_)) => (Slot::Plain(from + 1, end - 1), None),
        Scalar::String(Str::Escaped(_)) => (Slot::Escaped(from + 1, end - 1), None),
        Scalar::Null => (Slot::Null, None),
        Scalar::Bool(value) => (Slot::Bool(value), None),
        Scalar::Big(_) => (Slot::Big(from, end), None),
        Scalar::Float(_) => (Slot::Other(from, end), None),
        Scalar::Array | Scalar::Object => (Slot::Other(from, end), Some(value)),
    })
}

fn finish_slot<'a>(scanner: &mut Scanner<'a>, slot: Slot, opened: Option<Scalar<'a>>) -> Result<Slot, Fault> {
    match (slot, opened) {
        (Slot::Other(start, _), Some(opened)) => {
            scanner.skip_rest(opened)?;
            Ok(Slot::Other(start, scanner.at() as u32))
        }
        (slot, _) => Ok(slot),
    }
}

/// A whole value.
#[inline]
fn slot(scanner: &mut Scanner<'_>) -> Result<Slot, Fault> {
    if let Some(value) = scanner.count() {
        return Ok(Slot::Int(value));
    }
    let (slot, opened) = slot_start(scanner)?;
    finish_slot(scanner, slot, opened)
}

/// An array of values, each in a slot; null when it is one, else what stands there.
fn array_of_slots(scanner: &mut Scanner<'_>, into: &mut Vec<Slot>) -> Result<Slot, Fault> {
    into.clear();
    let (outer, opened) = slot_start(scanner)?;
    let Some(Scalar::Array) = opened else {
        return finish_slot(scanner, outer, opened);
    };
    if scanner.closes_at_once(b']') {
        return Ok(Slot::Null);
    }
    loop {
        into.push(slot(scanner)?);
        if !scanner.goes_on(b']')? {
            return Ok(Slot::Null);
        }
    }
}

/// Turns slots of a line into cells.
struct Row<'a> {
    line: &'a [u8],
    texts: &'a mut Interner,
    buffer: &'a mut Vec<u8>,
    remarks: &'a mut Vec<Remark>,
}

impl Row<'_> {
    fn between(&self, start: u32, end: u32) -> &[u8] {
        &self.line[start as usize..end as usize]
    }

    /// The JSON text of a slot that is neither absent nor null.
    fn raw(&self, slot: Slot) -> Vec<u8> {
        match slot {
            Slot::Absent => Vec::new(),
            Slot::Null => b"null".to_vec(),
            Slot::Bool(value) => value.to_string().into_bytes(),
            Slot::Int(value) => value.to_string().into_bytes(),
            Slot::Plain(start, end) | Slot::Escaped(start, end) => self.between(start - 1, end + 1).to_vec(),
            Slot::Big(start, end) | Slot::Other(start, end) => self.between(start, end).to_vec(),
        }
    }

    /// A slot's value for a message.
    fn found(&self, slot: Slot) -> String {
        const SHOWN: usize = 60;
        if let Slot::Absent = slot {
            return "absent".to_owned();
        }
        let raw = self.raw(slot);
        let text = String::from_utf8_lossy(&raw);
        match text.char_indices().nth(SHOWN) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text.into_owned(),
        }
    }

    fn other<T>(&mut self, slot: Slot) -> Cell<T> {
        let raw = self.raw(slot);
        Cell::Other(self.texts.intern(&raw))
    }

    /// The string's WTF-8 bytes, when it is one.
    fn string(&mut self, slot: Slot) -> Option<&[u8]> {
        match slot {
            Slot::Plain(start, end) => Some(&self.line[start as usize..end as usize]),
            Slot::Escaped(start, end) => {
                Some(Str::Escaped(&self.line[start as usize..end as usize]).bytes(self.buffer))
            }
            _ => None,
        }
    }

    fn string_id(&mut self, slot: Slot) -> Option<TextId> {
        match slot {
            Slot::Plain(start, end) => Some(self.texts.intern(&self.line[start as usize..end as usize])),
            Slot::Escaped(start, end) => {
                let raw = Str::Escaped(&self.line[start as usize..end as usize]);
                Some(self.texts.intern(raw.bytes(self.buffer)))
            }
            _ => None,
        }
    }

    #[inline]
    fn int(&mut self, slot: Slot) -> Cell<i64> {
        match slot {
            Slot::Int(value) => Cell::Is(value),
            Slot::Null => Cell::Null,
            Slot::Absent => Cell::Absent,
            Slot::Big(..) => {
                let what = format!("{} does not fit 64 bits", self.found(slot));
                self.remarks.push((ProblemKind::NumberTooLarge, what));
                self.other(slot)
            }
            slot => self.other(slot),
        }
    }

    fn flag(&mut self, slot: Slot) -> Cell<bool> {
        match slot {
            Slot::Bool(value) => Cell::Is(value),
            Slot::Null => Cell::Null,
            Slot::Absent => Cell::Absent,
            slot => self.other(slot),
        }
    }

    fn text(&mut self, slot: Slot) -> Cell<TextId> {
        match slot {
            Slot::Null => Cell::Null,
            Slot::Absent => Cell::Absent,
            slot => match self.string_id(slot) {
                Some(text) => Cell::Is(text),
                None => self.other(slot),
            },
        }
    }

    /// Any value as its JSON text.
    fn json(&mut self, slot: Slot) -> Cell<TextId> {
        match slot {
            Slot::Null => Cell::Null,
            Slot::Absent => Cell::Absent,
            slot => {
                let raw = self.raw(slot);
                Cell::Is(self.texts.intern(&raw))
            }
        }
    }

    /// A request ID or an iteration, turned into text (`reduce.md` V1).
    #[inline]
    fn name(&mut self, slot: Slot) -> (TextId, Option<TextId>) {
        if let Some(text) = self.string_id(slot) {
            return (text, None);
        }
        match slot {
            Slot::Absent => (word::NONE, Some(word::EMPTY)),
            slot => {
                let raw = self.raw(slot);
                (self.texts.intern(&json::text_of(&raw)), Some(self.texts.intern(&raw)))
            }
        }
    }

    /// What stands in the place of an array.
    fn no_array(&mut self, slot: Slot, field: &str) -> Option<TextId> {
        match slot {
            Slot::Absent | Slot::Null => None,
            slot => {
                self.remarks.push((ProblemKind::NotAnArray, format!("{field} is {}", self.found(slot))));
                let raw = self.raw(slot);
                Some(self.texts.intern(&raw))
            }
        }
    }

    fn skipped(&mut self, members: usize) {
        if members > 0 {
            let what = format!("{members} of the members are no objects");
            self.remarks.push((ProblemKind::MemberNotObject, what));
        }
    }
}
