//! A value of a line as a slot: the value itself, or where it stands.

use crate::json::{Fault, Scalar, Scanner, Str};

/// Where a value stands in its line, or the value itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
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
/// The start of a value: a slot when it is a scalar, else what was opened.
#[inline]
pub(super) fn slot_start<'a>(scanner: &mut Scanner<'a>) -> Result<(Slot, Option<Scalar<'a>>), Fault> {
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

pub(super) fn finish_slot<'a>(
    scanner: &mut Scanner<'a>,
    slot: Slot,
    opened: Option<Scalar<'a>>,
) -> Result<Slot, Fault> {
    match (slot, opened) {
        (Slot::Other(start, _), Some(opened)) => {
            scanner.skip_rest(opened)?;
            Ok(Slot::Other(start, scanner.at() as u32))
        }
        (slot, _) => Ok(slot),
    }
}

/// A whole value.
#[inline(always)]
pub(super) fn slot(scanner: &mut Scanner<'_>) -> Result<Slot, Fault> {
    match simple(scanner) {
        Some(slot) => Ok(slot),
        None => any(scanner),
    }
}

/// What nearly every value is, in the form a recorder writes it; `None` passes over nothing.
#[inline(always)]
fn simple(scanner: &mut Scanner<'_>) -> Option<Slot> {
    match scanner.peek()? {
        b'"' => scanner.plain().map(|(start, end)| Slot::Plain(start as u32, end as u32)),
        b'n' => scanner.letters(*b"null").then_some(Slot::Null),
        b't' => scanner.letters(*b"true").then_some(Slot::Bool(true)),
        b'f' => scanner.letters(*b"false").then_some(Slot::Bool(false)),
        _ => scanner.count().map(Slot::Int),
    }
}

#[cold]
#[inline(never)]
fn any(scanner: &mut Scanner<'_>) -> Result<Slot, Fault> {
    let (slot, opened) = slot_start(scanner)?;
    finish_slot(scanner, slot, opened)
}

/// An array of values, each in a slot; null when it is one, else what stands there.
pub(super) fn array_of_slots(scanner: &mut Scanner<'_>, into: &mut Vec<Slot>) -> Result<Slot, Fault> {
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
