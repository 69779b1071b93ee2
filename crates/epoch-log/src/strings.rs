//! Interned text. Log strings are kept as WTF-8: UTF-8 in which an unpaired surrogate stands as its three-byte
//! form, so that two IDs that differ only there stay different (`reading.md` J-3).

use std::borrow::Cow;
use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::words::same;

/// Index of a text in [`Strings`].
pub type TextId = u32;

macro_rules! words {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Texts that every log repeats. Their [`TextId`]s are the same in every table of strings, and so small
        /// that columns of them take one byte a row.
        pub mod word {
            use super::TextId;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Index { $($name),* }
            $(#[doc = concat!("`", $text, "`")] pub const $name: TextId = Index::$name as TextId;)*
        }
        const WORDS: &[&str] = &[$($text),*];
    };
}

words! {
    EMPTY = "",
    NONE = "None",
    FIRST = "first",
    REPEAT = "repeat",
    CONTEXT = "context",
    GENERATION = "generation",
    KEPT = "kept",
    DISCARDED_FINISHED = "discarded_finished",
    DROPPED_STALE = "dropped_stale",
    UNKNOWN = "unknown",
    STOP = "stop",
    LENGTH = "length",
    ABORT = "abort",
    ERROR = "error",
    REPETITION = "repetition",
    UNPAUSED = "UNPAUSED",
    PAUSED_NEW = "PAUSED_NEW",
    PAUSED_ALL = "PAUSED_ALL",
    FINISHED_STOPPED = "FINISHED_STOPPED",
    FINISHED_LENGTH_CAPPED = "FINISHED_LENGTH_CAPPED",
    FINISHED_ABORTED = "FINISHED_ABORTED",
    EMPTY_OBJECT = "{}",
}

/// Texts by index, without the means to add any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strings {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ends: Vec<u32>,
}

impl Strings {
    /// The bytes of a text, WTF-8.
    ///
    /// # Panics
    /// When `id` is not of this table.
    pub fn get(&self, id: TextId) -> &[u8] {
        let at = id as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.bytes[start..self.ends[at] as usize]
    }

    /// The text for people: unpaired surrogates become U+FFFD.
    pub fn display(&self, id: TextId) -> Cow<'_, str> {
        String::from_utf8_lossy(self.get(id))
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * 4
    }
}

/// Adds texts to [`Strings`], each once.
#[derive(Clone, Debug)]
pub struct Interner {
    strings: Strings,
    index: HashTable<TextId>,
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

impl Interner {
    /// A table that holds the [`word`]s.
    pub fn new() -> Self {
        let mut interner = Self { strings: Strings::default(), index: HashTable::new() };
        for text in WORDS {
            interner.intern(text.as_bytes());
        }
        interner
    }

    /// The index of a text (WTF-8), which is added when it is new.
    pub fn intern(&mut self, text: &[u8]) -> TextId {
        let strings = &mut self.strings;
        let hash_of = hash(text);
        if let Some(&id) = self.index.find(hash_of, |&id| same(strings.get(id), text)) {
            return id;
        }
        let id = strings.ends.len() as TextId;
        strings.bytes.extend_from_slice(text);
        strings.ends.push(strings.bytes.len() as u32);
        self.index.insert_unique(hash_of, id, |&id| hash(strings.get(id)));
        id
    }

    /// Whether a text is the one at an index: far cheaper than to look it up.
    #[inline]
    pub(crate) fn is(&self, id: TextId, text: &[u8]) -> bool {
        same(self.strings.get(id), text)
    }

    /// The texts so far.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// The index of a text, when it is there.
    pub fn find(&self, text: &[u8]) -> Option<TextId> {
        self.index.find(hash(text), |&id| self.strings.get(id) == text).copied()
    }

    /// The texts, without the index.
    pub fn finish(mut self) -> Strings {
        self.strings.bytes.shrink_to_fit();
        self.strings.ends.shrink_to_fit();
        self.strings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_fixed_places_and_texts_are_kept_once() {
        let mut interner = Interner::new();
        assert_eq!(interner.intern(b"kept"), word::KEPT);
        assert_eq!(interner.intern(b"{}"), word::EMPTY_OBJECT);
        let a = interner.intern(b"cmpl-1");
        assert_eq!(interner.intern(b"cmpl-1"), a);
        assert_eq!(interner.find(b"cmpl-1"), Some(a));
        assert_eq!(interner.find(b"cmpl-2"), None);
        assert_eq!(interner.finish().get(a), b"cmpl-1");
    }
}
