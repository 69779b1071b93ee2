//! A line taken apart: its fields in slots.

use super::Rejected;
use super::fields::{MEMBER, MEMBER_LEN, OTHER_NAME, Order, TOP, TOP_LEN, Top};
use super::kind_named;
use super::slots::{Slot, array_of_slots, finish_slot, slot, slot_start};
use crate::json::{Fault, Scalar, Scanner};
use crate::problem::ProblemKind;
use crate::tables::KINDS;

/// The slots of one line, filled anew for each.
pub(super) struct LineParts {
    top_order: Order,
    member_order: Order,
    buffer: Vec<u8>,
    pub(super) top: [Slot; TOP_LEN],
    pub(super) members: Vec<[Slot; MEMBER_LEN]>,
    pub(super) members_skipped: usize,
    pub(super) preempted: Vec<Slot>,
    pub(super) running: Vec<Slot>,
}

impl LineParts {
    pub(super) fn new() -> Self {
        Self {
            top_order: Order::new(TOP),
            member_order: Order::new(MEMBER),
            buffer: Vec::new(),
            top: [Slot::Absent; TOP_LEN],
            members: Vec::new(),
            members_skipped: 0,
            preempted: Vec::new(),
            running: Vec::new(),
        }
    }

    /// Fills the slots from a line.
    pub(super) fn take_apart(&mut self, line: &[u8]) -> Result<(), Rejected> {
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
