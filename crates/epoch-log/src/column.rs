//! Columns of scalar fields. A log may hold any JSON value in any field, so every column can say *absent*, *null*
//! and *something else*, yet the expected values take one to eight bytes a row: the three highest (or, for `i64`,
//! lowest) codes are set apart, and what does not fit stands in a short list beside the column.

use std::ops::Range;

use bytemuck::Pod;

use crate::strings::{Strings, TextId};
use crate::wire::{self, Damaged, Reader};

/// A value as it stands in a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<T> {
    /// The field is not there.
    Absent,
    /// JSON null.
    Null,
    /// The expected type.
    Is(T),
    /// Any other JSON value: its text as written in the log.
    Other(TextId),
}

impl<T> Cell<T> {
    /// The value, when it has the expected type.
    pub fn is(self) -> Option<T> {
        match self {
            Cell::Is(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Cell<U> {
        match self {
            Cell::Absent => Cell::Absent,
            Cell::Null => Cell::Null,
            Cell::Is(value) => Cell::Is(f(value)),
            Cell::Other(text) => Cell::Other(text),
        }
    }
}

/// How wide a column stores its usual values, and which four codes it sets apart.
pub trait Width: Pod + PartialEq + std::fmt::Debug {
    /// Absent.
    const ABSENT: Self;
    /// Null.
    const NULL: Self;
    /// An integer that does not fit: look in the list of wide ones.
    const WIDE: Self;
    /// Another JSON value: look in the list of texts.
    const OTHER: Self;
    /// The value as it is stored, when it fits and is none of the codes.
    fn narrow(value: i64) -> Option<Self>;
    /// The stored value as a number; of a code, nonsense.
    fn widen(self) -> i64;
    /// Whether this is one of the four codes.
    fn is_code(self) -> bool;
}

macro_rules! unsigned_width {
    ($($t:ty),*) => {$(
        impl Width for $t {
            const ABSENT: Self = <$t>::MAX;
            const NULL: Self = <$t>::MAX - 1;
            const WIDE: Self = <$t>::MAX - 2;
            const OTHER: Self = <$t>::MAX - 3;
            fn narrow(value: i64) -> Option<Self> {
                <$t>::try_from(value).ok().filter(|v| !v.is_code())
            }
            fn widen(self) -> i64 {
                i64::from(self)
            }
            fn is_code(self) -> bool {
                self >= Self::OTHER
            }
        }
    )*};
}
unsigned_width!(u8, u32);

impl Width for i64 {
    const ABSENT: Self = i64::MIN;
    const NULL: Self = i64::MIN + 1;
    const WIDE: Self = i64::MIN + 2;
    const OTHER: Self = i64::MIN + 3;
    fn narrow(value: i64) -> Option<Self> {
        (!value.is_code()).then_some(value)
    }
    fn widen(self) -> i64 {
        self
    }
    fn is_code(self) -> bool {
        self <= Self::OTHER
    }
}

/// From the text indices of one table of strings to those of another.
pub(crate) type Remap = [TextId];

/// Lengths of lists, in the order in which [`Columns::sizes`] tells them.
pub(crate) type Sizes<'a> = std::slice::Iter<'a, usize>;

fn reserve<T>(list: &mut Vec<T>, sizes: &mut Sizes<'_>) {
    list.reserve_exact(sizes.next().copied().unwrap_or(0));
}

/// What every column and table of columns can do.
pub(crate) trait Columns: Sized {
    /// Appends rows of another of its kind, whose texts are renamed by `texts`.
    fn extend_rows(&mut self, from: &Self, rows: Range<usize>, texts: &Remap);
    /// Writes the column so that [`Columns::decode`] reads it.
    fn encode(&self, out: &mut Vec<u8>);
    /// Reads what [`Columns::encode`] wrote.
    ///
    /// # Errors
    /// [`Damaged`] when the bytes are not such.
    fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged>;
    /// Bytes held on the heap.
    fn heap_bytes(&self) -> usize;
    /// Tells the length of every list the column consists of.
    fn sizes(&self, told: &mut Vec<usize>);
    /// Makes room, neither more nor less, for so many more entries in every list, in the order of
    /// [`Columns::sizes`].
    fn make_room(&mut self, sizes: &mut Sizes<'_>);
}

/// A column of integers (`reading.md` V1), stored `W` wide.
#[derive(Clone, Debug, PartialEq)]
pub struct Ints<W> {
    values: Vec<W>,
    wide: Vec<(u32, i64)>,
    other: Vec<(u32, TextId)>,
}

impl<W> Default for Ints<W> {
    fn default() -> Self {
        Self { values: Vec::new(), wide: Vec::new(), other: Vec::new() }
    }
}

fn find<T: Copy>(list: &[(u32, T)], row: usize) -> Option<T> {
    list.binary_search_by_key(&(row as u32), |entry| entry.0).ok().map(|at| list[at].1)
}

impl<W: Width> Ints<W> {
    /// Appends a value.
    pub fn push(&mut self, cell: Cell<i64>) {
        let row = self.values.len() as u32;
        self.values.push(match cell {
            Cell::Absent => W::ABSENT,
            Cell::Null => W::NULL,
            Cell::Is(value) => W::narrow(value).unwrap_or_else(|| {
                self.wide.push((row, value));
                W::WIDE
            }),
            Cell::Other(text) => {
                self.other.push((row, text));
                W::OTHER
            }
        });
    }

    /// The integer of a row; null, absent and other values are `None`.
    #[inline]
    pub fn int(&self, row: usize) -> Option<i64> {
        let value = self.values[row];
        if !value.is_code() {
            return Some(value.widen());
        }
        if value == W::WIDE { find(&self.wide, row) } else { None }
    }

    /// The field as it stands in the log.
    pub fn cell(&self, row: usize) -> Cell<i64> {
        let value = self.values[row];
        if !value.is_code() {
            Cell::Is(value.widen())
        } else if value == W::NULL {
            Cell::Null
        } else if value == W::ABSENT {
            Cell::Absent
        } else if value == W::WIDE {
            find(&self.wide, row).map_or(Cell::Absent, Cell::Is)
        } else {
            find(&self.other, row).map_or(Cell::Absent, Cell::Other)
        }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<W: Width> Columns for Ints<W> {
    fn extend_rows(&mut self, from: &Self, rows: Range<usize>, texts: &Remap) {
        let shift = self.values.len() as i64 - rows.start as i64;
        self.values.extend_from_slice(&from.values[rows.clone()]);
        extend_list(&mut self.wide, &from.wide, &rows, shift, |value| value);
        extend_list(&mut self.other, &from.other, &rows, shift, |text| texts[text as usize]);
    }
    fn encode(&self, out: &mut Vec<u8>) {
        wire::put_slice(out, &self.values);
        wire::put_pairs(out, &self.wide);
        wire::put_pairs(out, &self.other);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged> {
        Ok(Self { values: input.slice()?, wide: input.pairs()?, other: input.pairs()? })
    }
    fn heap_bytes(&self) -> usize {
        self.values.capacity() * size_of::<W>() + self.wide.capacity() * 16 + self.other.capacity() * 8
    }
    fn sizes(&self, told: &mut Vec<usize>) {
        told.extend([self.values.len(), self.wide.len(), self.other.len()]);
    }
    fn make_room(&mut self, sizes: &mut Sizes<'_>) {
        reserve(&mut self.values, sizes);
        reserve(&mut self.wide, sizes);
        reserve(&mut self.other, sizes);
    }
}

fn extend_list<T: Copy>(
    list: &mut Vec<(u32, T)>,
    from: &[(u32, T)],
    rows: &Range<usize>,
    shift: i64,
    map: impl Fn(T) -> T,
) {
    let first = from.partition_point(|entry| (entry.0 as usize) < rows.start);
    for &(row, value) in from[first..].iter().take_while(|entry| (entry.0 as usize) < rows.end) {
        list.push(((i64::from(row) + shift) as u32, map(value)));
    }
}

/// A column of booleans; a number is not one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flags(Ints<u8>);

impl Flags {
    /// Appends a value.
    pub fn push(&mut self, cell: Cell<bool>) {
        self.0.push(cell.map(i64::from));
    }

    /// The boolean of a row; anything else is `None`.
    pub fn flag(&self, row: usize) -> Option<bool> {
        self.0.int(row).map(|value| value == 1)
    }

    /// The field as it stands in the log.
    pub fn cell(&self, row: usize) -> Cell<bool> {
        self.0.cell(row).map(|value| value == 1)
    }
}

/// A column of strings; `u8` wide it holds the [`word`](crate::strings::word)s in one byte a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts<W>(Ints<W>);

impl<W: Width> Texts<W> {
    /// Appends a value.
    pub fn push(&mut self, cell: Cell<TextId>) {
        self.0.push(cell.map(i64::from));
    }

    /// The string of a row; anything else is `None`.
    pub fn text(&self, row: usize) -> Option<TextId> {
        self.0.int(row).map(|value| value as TextId)
    }

    /// The string of the last row.
    #[inline]
    pub(crate) fn last(&self) -> Option<TextId> {
        self.text(self.len().checked_sub(1)?)
    }

    /// The field as it stands in the log.
    pub fn cell(&self, row: usize) -> Cell<TextId> {
        self.0.cell(row).map(|value| value as TextId)
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

macro_rules! columns_by_field {
    ($type:ty) => {
        fn encode(&self, out: &mut Vec<u8>) {
            self.0.encode(out);
        }
        fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged> {
            Ok(Self(<$type>::decode(input)?))
        }
        fn heap_bytes(&self) -> usize {
            self.0.heap_bytes()
        }
        fn sizes(&self, told: &mut Vec<usize>) {
            self.0.sizes(told);
        }
        fn make_room(&mut self, sizes: &mut Sizes<'_>) {
            self.0.make_room(sizes);
        }
    };
}

impl Columns for Flags {
    fn extend_rows(&mut self, from: &Self, rows: Range<usize>, texts: &Remap) {
        self.0.extend_rows(&from.0, rows, texts);
    }
    columns_by_field!(Ints<u8>);
}

impl<W: Width> Columns for Texts<W> {
    fn extend_rows(&mut self, from: &Self, rows: Range<usize>, texts: &Remap) {
        for row in rows {
            self.push(match from.cell(row) {
                Cell::Is(text) => Cell::Is(texts[text as usize]),
                Cell::Other(text) => Cell::Other(texts[text as usize]),
                cell => cell,
            });
        }
    }
    columns_by_field!(Ints<W>);
}

/// A column of names: request IDs and iterations, turned into text (`reduce.md` V1) when they are no strings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// The text every row is known by.
    pub text: Vec<TextId>,
    /// Rows whose value was no string: row, and its JSON text; the text `None` stands for an absent or null one.
    pub other: Vec<(u32, TextId)>,
}

impl Names {
    /// What stood in a row that held no string.
    pub fn other(&self, row: usize) -> Option<TextId> {
        find(&self.other, row)
    }

    pub(crate) fn push(&mut self, (text, other): (TextId, Option<TextId>)) {
        if let Some(other) = other {
            self.other.push((self.text.len() as u32, other));
        }
        self.text.push(text);
    }
}

impl Columns for Names {
    fn extend_rows(&mut self, from: &Self, rows: Range<usize>, texts: &Remap) {
        let shift = self.text.len() as i64 - rows.start as i64;
        self.text.extend(from.text[rows.clone()].iter().map(|&text| texts[text as usize]));
        extend_list(&mut self.other, &from.other, &rows, shift, |text| texts[text as usize]);
    }
    fn encode(&self, out: &mut Vec<u8>) {
        wire::put_slice(out, &self.text);
        wire::put_pairs(out, &self.other);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged> {
        Ok(Self { text: input.slice()?, other: input.pairs()? })
    }
    fn heap_bytes(&self) -> usize {
        self.text.capacity() * 4 + self.other.capacity() * 8
    }
    fn sizes(&self, told: &mut Vec<usize>) {
        told.extend([self.text.len(), self.other.len()]);
    }
    fn make_room(&mut self, sizes: &mut Sizes<'_>) {
        reserve(&mut self.text, sizes);
        reserve(&mut self.other, sizes);
    }
}

impl<T: Pod + PartialEq> Columns for Vec<T> {
    fn extend_rows(&mut self, from: &Self, rows: Range<usize>, _texts: &Remap) {
        self.extend_from_slice(&from[rows]);
    }
    fn encode(&self, out: &mut Vec<u8>) {
        wire::put_slice(out, self);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged> {
        input.slice()
    }
    fn heap_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
    fn sizes(&self, told: &mut Vec<usize>) {
        told.push(self.len());
    }
    fn make_room(&mut self, sizes: &mut Sizes<'_>) {
        reserve(self, sizes);
    }
}

/// Rows of a child table in groups, one group a row of the parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grouped<T> {
    /// Where each group ends in `rows`; it begins where the one before ends.
    ends: Vec<u32>,
    /// Groups whose field held no array: parent row and JSON text. Absent and null count as an empty array.
    other: Vec<(u32, TextId)>,
    /// The rows of all groups, contiguous.
    pub rows: T,
}

impl<T> Grouped<T> {
    /// The rows of a group.
    #[inline]
    pub fn range(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] as usize };
        start..self.ends[group] as usize
    }

    /// How many groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What stood in the field of a group when it was set and no array: its JSON text.
    pub fn other(&self, group: usize) -> Option<TextId> {
        find(&self.other, group)
    }

    /// Where the last group begins.
    pub(crate) fn last_start(&self) -> usize {
        self.ends.len().checked_sub(2).map_or(0, |before| self.ends[before] as usize)
    }

    /// Closes a group that ends at `end`.
    pub(crate) fn close(&mut self, end: usize, other: Option<TextId>) {
        if let Some(other) = other {
            self.other.push((self.ends.len() as u32, other));
        }
        self.ends.push(end as u32);
    }

    /// The group a row is in.
    pub fn group_of(&self, row: usize) -> usize {
        self.ends.partition_point(|&end| end as usize <= row)
    }
}

impl<T: Columns> Columns for Grouped<T> {
    fn extend_rows(&mut self, from: &Self, rows: Range<usize>, texts: &Remap) {
        if rows.is_empty() {
            return;
        }
        let child = from.range(rows.start).start..from.range(rows.end - 1).end;
        let base = self.ends.last().copied().unwrap_or(0);
        let shift = self.ends.len() as i64 - rows.start as i64;
        self.ends.extend(from.ends[rows.clone()].iter().map(|end| end - child.start as u32 + base));
        extend_list(&mut self.other, &from.other, &rows, shift, |text| texts[text as usize]);
        self.rows.extend_rows(&from.rows, child, texts);
    }
    fn encode(&self, out: &mut Vec<u8>) {
        wire::put_slice(out, &self.ends);
        wire::put_pairs(out, &self.other);
        self.rows.encode(out);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Damaged> {
        Ok(Self { ends: input.slice()?, other: input.pairs()?, rows: T::decode(input)? })
    }
    fn heap_bytes(&self) -> usize {
        self.ends.capacity() * 4 + self.other.capacity() * 8 + self.rows.heap_bytes()
    }
    fn sizes(&self, told: &mut Vec<usize>) {
        told.extend([self.ends.len(), self.other.len()]);
        self.rows.sizes(told);
    }
    fn make_room(&mut self, sizes: &mut Sizes<'_>) {
        reserve(&mut self.ends, sizes);
        reserve(&mut self.other, sizes);
        self.rows.make_room(sizes);
    }
}

/// A number as Python's `int()` takes it (`diagnose.md` S5): floats cut, digit strings read, booleans 1 and 0.
pub fn loose_int(cell: Cell<i64>, strings: &Strings) -> Option<i64> {
    match cell {
        Cell::Is(value) => Some(value),
        Cell::Absent | Cell::Null => None,
        Cell::Other(text) => crate::json::loose_int(strings.get(text)),
    }
}
