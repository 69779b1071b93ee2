//! Slots of a line become cells of columns.

use super::slots::Slot;
use crate::column::{Cell, Names, Texts, Width};
use crate::json::{self, Str};
use crate::problem::ProblemKind;
use crate::strings::{Interner, TextId, word};

/// A remark on a line that is kept.
pub(crate) type Remark = (ProblemKind, String);
/// Turns slots of a line into cells.
pub(super) struct Row<'a> {
    pub(super) line: &'a [u8],
    pub(super) texts: &'a mut Interner,
    pub(super) buffer: &'a mut Vec<u8>,
    pub(super) remarks: &'a mut Vec<Remark>,
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
    pub(super) fn found(&self, slot: Slot) -> String {
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
    pub(super) fn string(&mut self, slot: Slot) -> Option<&[u8]> {
        match slot {
            Slot::Plain(start, end) => Some(&self.line[start as usize..end as usize]),
            Slot::Escaped(start, end) => {
                Some(Str::Escaped(&self.line[start as usize..end as usize]).bytes(self.buffer))
            }
            _ => None,
        }
    }

    pub(super) fn string_id(&mut self, slot: Slot) -> Option<TextId> {
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
    pub(super) fn int(&mut self, slot: Slot) -> Cell<i64> {
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

    pub(super) fn flag(&mut self, slot: Slot) -> Cell<bool> {
        match slot {
            Slot::Bool(value) => Cell::Is(value),
            Slot::Null => Cell::Null,
            Slot::Absent => Cell::Absent,
            slot => self.other(slot),
        }
    }

    /// A string that is likely the one of the row before.
    #[inline]
    pub(super) fn text_like<W: Width>(&mut self, slot: Slot, column: &Texts<W>) -> Cell<TextId> {
        if let Slot::Plain(start, end) = slot
            && let Some(guess) = column.last()
            && self.texts.is(guess, self.between(start, end))
        {
            return Cell::Is(guess);
        }
        self.text(slot)
    }

    pub(super) fn text(&mut self, slot: Slot) -> Cell<TextId> {
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
    pub(super) fn json(&mut self, slot: Slot) -> Cell<TextId> {
        match slot {
            Slot::Null => Cell::Null,
            Slot::Absent => Cell::Absent,
            slot => {
                let raw = self.raw(slot);
                Cell::Is(self.texts.intern(&raw))
            }
        }
    }

    /// The whole line as it stands.
    pub(super) fn whole(&mut self) -> (TextId, Option<TextId>) {
        (self.texts.intern(self.line), None)
    }

    /// A request ID or an iteration, turned into text (`reduce.md` V1).
    #[inline]
    pub(super) fn name(&mut self, slot: Slot) -> (TextId, Option<TextId>) {
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

    /// A member's request ID. Steps have the members of the step before in the same order but for those that came and
    /// went: the ID is likely that of the row `seat`, or of the one after it; then `seat` moves behind it.
    #[inline]
    pub(super) fn name_near(
        &mut self,
        slot: Slot,
        column: &Names,
        seat: &mut usize,
    ) -> (TextId, Option<TextId>) {
        if let Slot::Plain(start, end) = slot {
            for row in [*seat, *seat + 1] {
                if let Some(&guess) = column.text.get(row)
                    && self.texts.is(guess, self.between(start, end))
                {
                    *seat = row + 1;
                    return (guess, None);
                }
            }
        }
        self.name(slot)
    }

    /// What stands in the place of an array.
    pub(super) fn no_array(&mut self, slot: Slot, field: &str) -> Option<TextId> {
        match slot {
            Slot::Absent | Slot::Null => None,
            slot => {
                self.remarks.push((ProblemKind::NotAnArray, format!("{field} is {}", self.found(slot))));
                let raw = self.raw(slot);
                Some(self.texts.intern(&raw))
            }
        }
    }

    pub(super) fn skipped(&mut self, members: usize) {
        if members > 0 {
            let what = format!("{members} of the members are no objects");
            self.remarks.push((ProblemKind::MemberNotObject, what));
        }
    }
}
