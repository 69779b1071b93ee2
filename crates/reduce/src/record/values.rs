//! What stands in the fields of a record.

use stepscope_epoch_log::{Cell, Strings, TextId};

/// Text as WTF-8, as in [`Strings`]: UTF-8 in which an unpaired surrogate stands as its three-byte form, so that two
/// IDs that differ only there stay different.
pub type Text = Vec<u8>;

/// Names an entity (`artifact.md` §3). Both texts are WTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ref<'a> {
    /// Who names it.
    pub producer_id: &'a [u8],
    /// Its name there.
    pub id: &'a [u8],
}

/// A value copied from the log whatever its JSON type (`reduce.md` §1 *raw*); an absent one is null.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Raw<'a> {
    /// Null, or absent.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer that fits.
    Int(i64),
    /// A string, WTF-8.
    Text(&'a [u8]),
    /// Any other value, as its JSON text stood in the log (`reading.md` §6.2): not yet in ASCII or in order.
    Json(&'a [u8]),
}

impl<'a> Raw<'a> {
    /// An integer field.
    pub fn ints(cell: Cell<i64>, strings: &'a Strings) -> Self {
        Self::of(cell, strings, Raw::Int)
    }

    /// A boolean field.
    pub fn flags(cell: Cell<bool>, strings: &'a Strings) -> Self {
        Self::of(cell, strings, Raw::Bool)
    }

    /// A string field.
    pub fn texts(cell: Cell<TextId>, strings: &'a Strings) -> Self {
        Self::of(cell, strings, |text| Raw::Text(strings.get(text)))
    }

    #[inline]
    fn of<T>(cell: Cell<T>, strings: &'a Strings, is: impl Fn(T) -> Self) -> Self {
        match cell {
            Cell::Absent | Cell::Null => Raw::Null,
            Cell::Is(value) => is(value),
            Cell::Other(json) => Raw::Json(strings.get(json)),
        }
    }
}

impl From<bool> for Raw<'_> {
    fn from(value: bool) -> Self {
        Raw::Bool(value)
    }
}

impl From<i64> for Raw<'_> {
    fn from(value: i64) -> Self {
        Raw::Int(value)
    }
}

impl From<u32> for Raw<'_> {
    fn from(value: u32) -> Self {
        Raw::Int(i64::from(value))
    }
}

impl<'a> From<&'a str> for Raw<'a> {
    fn from(value: &'a str) -> Self {
        Raw::Text(value.as_bytes())
    }
}

impl<'a> From<&'a [u8]> for Raw<'a> {
    fn from(value: &'a [u8]) -> Self {
        Raw::Text(value)
    }
}

impl<'a, T: Into<Raw<'a>>> From<Option<T>> for Raw<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Raw::Null, Into::into)
    }
}
