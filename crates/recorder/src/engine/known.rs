//! What the recorder remembers of requests: their prompt lengths, which also says which ids it has seen, and the
//! context their last kept output committed (`record.md` §3).

use std::hash::{BuildHasher, BuildHasherDefault};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

#[derive(Debug)]
struct Known {
    hash: u64,
    id: Box<str>,
    prompt: Option<i64>,
    committed: Option<i64>,
}

/// Requests by id. Each id is hashed once per event by the caller, see [`hash`].
#[derive(Debug, Default)]
pub(super) struct KnownRequests {
    table: HashTable<Known>,
}

/// The hash of an id in the tables of this module's siblings.
#[inline]
pub(super) fn hash(id: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(id)
}

impl KnownRequests {
    /// Prompt length and committed context of an id, each `None` when not known.
    #[inline]
    pub(super) fn get(&self, hash: u64, id: &str) -> (Option<i64>, Option<i64>) {
        let known = self.table.find(hash, |known| known.hash == hash && &*known.id == id);
        known.map_or((None, None), |known| (known.prompt, known.committed))
    }

    pub(super) fn set_prompt(&mut self, hash: u64, id: &str, tokens: i64) {
        self.entry(hash, id).prompt = Some(tokens);
    }

    pub(super) fn set_committed(&mut self, hash: u64, id: &str, tokens: i64) {
        self.entry(hash, id).committed = Some(tokens);
    }

    pub(super) fn remove(&mut self, id: &str) {
        let hash = hash(id);
        if let Ok(entry) = self.table.find_entry(hash, |known| known.hash == hash && &*known.id == id) {
            entry.remove();
        }
    }

    fn entry(&mut self, hash: u64, id: &str) -> &mut Known {
        self.table
            .entry(hash, |known| known.hash == hash && &*known.id == id, |known| known.hash)
            .or_insert_with(|| Known { hash, id: id.into(), prompt: None, committed: None })
            .into_mut()
    }
}
