//! Gives every record about a request its stay in the engine: one walk over the records in the order written.

use rustc_hash::FxHashMap;
use stepscope_epoch_log::{Epoch, KINDS, Kind, TextId};

use super::clock::Clock;
use super::steps::NONE;

/// A stay while it is put together. Rows are of the tables of their kinds.
#[derive(Clone, Debug)]
pub(crate) struct Stay {
    pub(crate) internal: TextId,
    pub(crate) alias: u32,
    pub(crate) enqueued: u32,
    pub(crate) terminal: u32,
    /// The earliest stamp of its admission, hand-over and steps; `i64::MAX` while none is known.
    pub(crate) begin: i64,
    /// The latest stamp of any record of it.
    pub(crate) seen: i64,
    /// It was in a step.
    used: bool,
}

/// The stays in the order they were found, and who belongs to which.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) stays: Vec<Stay>,
    /// Stay of each row of the members of `scheduled` records.
    pub(crate) of_member: Vec<u32>,
    /// Stay, row of the `scheduled` record, and whether a cache reset made it.
    pub(crate) preempted: Vec<(u32, u32, bool)>,
}

/// Walks the records.
pub(crate) fn find(epoch: &Epoch, clock: Clock) -> Found {
    let log = &epoch.log;
    let mut walk = Walk {
        epoch,
        clock,
        current: vec![NONE; epoch.strings.len()],
        again: FxHashMap::default(),
        found: Found {
            of_member: vec![NONE; log.scheduled.members.rows.internal.text.len()],
            ..Found::default()
        },
        reset: Vec::new(),
    };
    let mut rows = [0usize; KINDS];
    for &kind in &log.kind {
        let row = rows[kind as usize];
        rows[kind as usize] += 1;
        match Kind::ALL[kind as usize] {
            Kind::Alias => walk.alias(row),
            Kind::Enqueued => walk.enqueued(row),
            Kind::Scheduled => walk.scheduled(row),
            Kind::Terminal => walk.terminal(row),
            Kind::CacheReset => walk.cache_reset(row),
            _ => {}
        }
    }
    walk.found
}

struct Walk<'a> {
    epoch: &'a Epoch,
    clock: Clock,
    /// The latest stay of each ID.
    current: Vec<u32>,
    /// Admissions of an ID whose stay is not over yet, so that they can only belong to its next one.
    again: FxHashMap<TextId, u32>,
    found: Found,
    /// IDs that a cache reset preempted since the last step.
    reset: Vec<TextId>,
}

impl Walk<'_> {
    fn open(&mut self, internal: TextId) -> usize {
        let alias = self.again.remove(&internal).unwrap_or(NONE);
        let at = match alias {
            NONE => None,
            row => self.clock.of_row(&self.epoch.log.alias.at.mono, row as usize),
        };
        self.current[internal as usize] = self.found.stays.len() as u32;
        self.found.stays.push(Stay {
            internal,
            alias,
            enqueued: NONE,
            terminal: NONE,
            begin: at.unwrap_or(i64::MAX),
            seen: at.unwrap_or(0),
            used: false,
        });
        self.found.stays.len() - 1
    }

    fn current(&self, internal: TextId) -> Option<usize> {
        let stay = self.current[internal as usize];
        (stay != NONE).then_some(stay as usize)
    }

    fn note(&mut self, stay: usize, at: Option<i64>) {
        if let Some(at) = at {
            let stay = &mut self.found.stays[stay];
            stay.begin = stay.begin.min(at);
            stay.seen = stay.seen.max(at);
        }
    }

    fn alias(&mut self, row: usize) {
        let internal = self.epoch.log.alias.internal.text[row];
        let at = self.clock.of_row(&self.epoch.log.alias.at.mono, row);
        let stay = match self.current(internal) {
            // Another thread writes the admissions, so that one can come after records it was stamped before.
            Some(stay)
                if self.found.stays[stay].alias == NONE
                    && at.is_none_or(|at| at <= self.found.stays[stay].begin) =>
            {
                stay
            }
            Some(stay) if self.found.stays[stay].terminal == NONE => {
                self.again.insert(internal, row as u32);
                return;
            }
            _ => self.open(internal),
        };
        self.found.stays[stay].alias = row as u32;
        self.note(stay, at);
    }

    fn enqueued(&mut self, row: usize) {
        let internal = self.epoch.log.enqueued.internal.text[row];
        let at = self.clock.of_row(&self.epoch.log.enqueued.at.mono, row);
        // Written only for an ID that newly enters: a stay that had one, or was in a step before, is over.
        let stay = match self.current(internal) {
            Some(stay) => {
                let known = &self.found.stays[stay];
                let before_use = !known.used || at.is_none_or(|at| at <= known.begin);
                if known.terminal == NONE && known.enqueued == NONE && before_use {
                    stay
                } else {
                    self.open(internal)
                }
            }
            None => self.open(internal),
        };
        self.found.stays[stay].enqueued = row as u32;
        self.note(stay, at);
    }

    fn scheduled(&mut self, row: usize) {
        let scheduled = &self.epoch.log.scheduled;
        let start = self.clock.of_row(&scheduled.start.mono, row);
        let by_reset = std::mem::take(&mut self.reset);
        let range = scheduled.preempted.range(row);
        for &internal in &scheduled.preempted.rows.text[range] {
            if let Some(stay) = self.current(internal) {
                self.found.preempted.push((stay as u32, row as u32, by_reset.contains(&internal)));
            }
        }
        for member in scheduled.members.range(row) {
            let internal = scheduled.members.rows.internal.text[member];
            let stay = match self.current(internal) {
                Some(stay) => {
                    let known = &self.found.stays[stay];
                    let over = known.terminal != NONE && start.is_none_or(|start| start >= known.seen);
                    let first = self.again.contains_key(&internal)
                        && known.used
                        && scheduled.members.rows.sighting.text(member)
                            == Some(stepscope_epoch_log::word::FIRST);
                    if over || first { self.open(internal) } else { stay }
                }
                None => self.open(internal),
            };
            self.found.of_member[member] = stay as u32;
            self.found.stays[stay].used = true;
            self.note(stay, start);
        }
    }

    fn terminal(&mut self, row: usize) {
        let internal = self.epoch.log.terminal.internal.text[row];
        let at = self.clock.of_row(&self.epoch.log.terminal.at.mono, row);
        let stay = match self.current(internal) {
            // Freed twice: the first counts.
            Some(stay) if self.found.stays[stay].terminal != NONE => return,
            Some(stay) => stay,
            None => self.open(internal),
        };
        self.found.stays[stay].terminal = row as u32;
        self.note(stay, at);
    }

    fn cache_reset(&mut self, row: usize) {
        let resets = &self.epoch.log.cache_reset;
        if resets.reset_running_requests.flag(row) == Some(true) {
            self.reset.extend_from_slice(&resets.running.rows.text[resets.running.range(row)]);
        }
    }
}
