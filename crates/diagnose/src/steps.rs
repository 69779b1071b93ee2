//! Steps of the engine loop from the raw records (`diagnose.md` §2).

use std::collections::BTreeMap;

use stepscope_epoch_log::json::{Number, Value};
use stepscope_epoch_log::order::{sort_by_key, sort_indices};
use stepscope_epoch_log::{Cell, Epoch, Ints, Kind, Stamps, TextId, Width, loose_int};

use crate::config::Config;
use crate::members::Members;
use crate::rules::{Correction, Corrections};
use crate::window::{Window, is_set};

/// Rows of a step's records in the tables of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRows {
    /// Row in `log.scheduled`.
    pub scheduled: u32,
    /// Row in `log.completed` of the completion that counts (S2).
    pub completed: Option<u32>,
}

/// The steps of an epoch in order of `start_mono_ns`, equal starts in record order (S4). A step's index is its place
/// in that order; stamps are ns.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// The step's records.
    pub rows: Vec<StepRows>,
    /// Monotonic clock before the scheduler call.
    pub start_mono_ns: Vec<i64>,
    /// Wall clock before the scheduler call.
    pub start_wall_ns: Vec<i64>,
    /// Monotonic clock after the scheduler call.
    pub end_mono_ns: Vec<i64>,
    /// Wall clock after the scheduler call.
    pub end_wall_ns: Vec<i64>,
    /// Monotonic clock after the output was processed; `None`: the step is not completed (S6).
    pub done_mono_ns: Vec<Option<i64>>,
    /// Wall clock after the output was processed.
    pub done_wall_ns: Vec<Option<i64>>,
    /// Work bucket: binary digits of the tokens scheduled (S7).
    pub bucket: Vec<u8>,
    /// Who shares each step.
    pub(crate) members: Members,
    /// Records that could not be taken (S5).
    pub dropped_records: usize,
}

/// How many work buckets there are.
pub(crate) const BUCKETS: usize = 64;

/// Work bucket of a token count (S7).
pub fn work_bucket(tokens: i64) -> u8 {
    (i64::BITS - tokens.max(0).leading_zeros()) as u8
}

impl Steps {
    /// The steps of the records that a configuration judges.
    pub fn of(epoch: &Epoch, config: &Config) -> Self {
        Self::of_window(&Window::of(epoch, config.tail_from), config.rules.into())
    }

    pub(crate) fn of_window(window: &Window<'_>, corrections: Corrections) -> Self {
        let epoch = window.epoch;
        let mut dropped = 0;
        let completions = Completions::of(window);
        let mut taken = Vec::new();
        for row in window.rows(Kind::Scheduled) {
            match Stamped::of(epoch, row) {
                Some(stamped) => taken.push(stamped),
                None => dropped += 1,
            }
        }
        sort_by_key(&mut taken, |stamped| stamped.start_mono_ns);
        let mut malformed_joined = Vec::new();
        let rows: Vec<StepRows> = taken
            .iter()
            .map(|stamped| {
                let name = epoch.log.scheduled.iteration.text[stamped.row];
                let (completed, malformed) = completions.of_name(name);
                malformed_joined.extend(malformed);
                StepRows { scheduled: stamped.row as u32, completed }
            })
            .collect();
        sort_indices(&mut malformed_joined);
        malformed_joined.dedup();
        let mut steps = Self::of_rows(epoch, rows, &taken, corrections);
        steps.dropped_records = dropped + malformed_joined.len();
        steps
    }

    fn of_rows(epoch: &Epoch, rows: Vec<StepRows>, taken: &[Stamped], corrections: Corrections) -> Self {
        let done = |of: fn(&Stamps) -> &Ints<i64>| -> Vec<Option<i64>> {
            rows.iter().map(|step| of(&epoch.log.completed.at).int(step.completed? as usize)).collect()
        };
        let (done_mono_ns, done_wall_ns) = (done(|at| &at.mono), done(|at| &at.wall));
        let column = |of: fn(&Stamped) -> i64| -> Vec<i64> { taken.iter().map(of).collect() };
        Self {
            start_mono_ns: column(|s| s.start_mono_ns),
            start_wall_ns: column(|s| s.start_wall_ns),
            end_mono_ns: column(|s| s.end_mono_ns),
            end_wall_ns: column(|s| s.end_wall_ns),
            done_mono_ns,
            done_wall_ns,
            bucket: taken.iter().map(|s| work_bucket(s.tokens)).collect(),
            members: Members::of(epoch, &rows, corrections.has(Correction::MalformedId)),
            rows,
            dropped_records: 0,
        }
    }

    /// How many steps.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a step is completed (S6).
    pub fn is_completed(&self, step: usize) -> bool {
        self.done_mono_ns[step].is_some()
    }

    /// The distinct IDs of a step's members, ascending by [`TextId`].
    pub fn member_ids(&self, step: usize) -> &[TextId] {
        self.members.ids(step)
    }

    /// The members of `p` that go on in `q` (W1, W2).
    pub fn continuing(&self, p: usize, q: usize) -> impl Iterator<Item = TextId> + '_ {
        self.members.continuing(p, q)
    }

    /// The members of `p` that are ready to run after it (W3).
    pub fn ready(&self, p: usize) -> impl Iterator<Item = TextId> + '_ {
        self.members.ready(p)
    }

    pub(crate) fn goes_on(&self, p: usize, q: usize) -> bool {
        self.members.continuing(p, q).next().is_some()
    }

    pub(crate) fn has_members(&self, step: usize) -> bool {
        !self.members.range(step).is_empty()
    }

    /// The completed steps, in order.
    pub(crate) fn completed(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.done_mono_ns.iter().enumerate().filter_map(|(step, done)| done.map(|done| (step, done)))
    }
}

/// What a `scheduled` record says about its step, when it can be taken (S5).
#[derive(Clone)]
struct Stamped {
    row: usize,
    start_mono_ns: i64,
    start_wall_ns: i64,
    end_mono_ns: i64,
    end_wall_ns: i64,
    tokens: i64,
}

impl Stamped {
    fn of(epoch: &Epoch, row: usize) -> Option<Self> {
        let table = &epoch.log.scheduled;
        let int = |column: &Ints<i64>| loose(epoch, column, row);
        if table.members.other(row).is_some_and(|json| aborts_as_members(epoch.strings.get(json))) {
            return None;
        }
        Some(Self {
            row,
            start_mono_ns: int(&table.start.mono)?,
            start_wall_ns: int(&table.start.wall)?,
            end_mono_ns: int(&table.end.mono)?,
            end_wall_ns: int(&table.end.wall)?,
            tokens: tokens(epoch, row)?,
        })
    }
}

/// An integer as Python's `int()` takes it.
#[inline]
pub(crate) fn loose<W: Width>(epoch: &Epoch, column: &Ints<W>, row: usize) -> Option<i64> {
    column.int(row).or_else(|| loose_int(column.cell(row), &epoch.strings))
}

/// `total_tokens`, 0 when not set; `None` when it is set and no number. A count beyond 64 bits is as large as can be.
fn tokens(epoch: &Epoch, row: usize) -> Option<i64> {
    let cell = epoch.log.scheduled.total_tokens.cell(row);
    let text = match cell {
        Cell::Is(value) => return Some(value),
        Cell::Absent | Cell::Null => return Some(0),
        Cell::Other(text) => epoch.strings.get(text),
    };
    match Value::parse(text) {
        Ok(value) if !value.is_set() => Some(0),
        Ok(Value::Number(Number::Big(digits))) => Some(if digits.starts_with('-') { 0 } else { i64::MAX }),
        Ok(Value::Number(Number::Float(count))) if count.is_finite() => Some(count as i64),
        _ => loose_int(cell, &epoch.strings),
    }
}

/// Whether a `members` that is no array is one of those that cannot be taken: a number other than zero, or `true`.
/// Strings and objects count as having no members.
fn aborts_as_members(json: &[u8]) -> bool {
    !matches!(json.first(), Some(b'"' | b'{')) && is_set(json)
}

/// Which `completed` counts for an iteration.
struct Completions {
    /// Last row of each name; [`NO_ROW`] without one.
    last: Vec<u32>,
    /// Names whose last row cannot be taken, and that row.
    malformed: BTreeMap<TextId, u32>,
}

const NO_ROW: u32 = u32::MAX;

impl Completions {
    fn of(window: &Window<'_>) -> Self {
        let epoch = window.epoch;
        let table = &epoch.log.completed;
        let mut last = vec![NO_ROW; epoch.strings.len()];
        let mut malformed = BTreeMap::new();
        for row in window.rows(Kind::Completed) {
            let name = table.iteration.text[row];
            if table.members.other(row).is_some_and(|json| aborts_as_members(epoch.strings.get(json))) {
                malformed.insert(name, row as u32);
            } else {
                last[name as usize] = row as u32;
                malformed.remove(&name);
            }
        }
        Self { last, malformed }
    }

    /// The row that counts, and a later one that would but for its members.
    fn of_name(&self, name: TextId) -> (Option<u32>, Option<u32>) {
        let last = self.last[name as usize];
        ((last != NO_ROW).then_some(last), self.malformed.get(&name).copied())
    }
}
