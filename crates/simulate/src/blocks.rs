//! Paged KV memory: blocks of tokens, and prompt prefixes that stay behind for the next request that begins the same.

use std::collections::BTreeMap;

/// A full block of a shared prefix: which prefix, which block of it.
type Key = (u32, i64);

#[derive(Debug, Default)]
struct Cached {
    users: u32,
    last_used: u64,
}

/// The blocks a request holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Held {
    own: i64,
    /// How many blocks of its prefix it shares, from the first on.
    shared: i64,
}

/// All blocks of a device.
#[derive(Debug)]
pub(crate) struct Blocks {
    block_size: i64,
    total: i64,
    own: i64,
    /// Blocks taken away by something outside the engine.
    taken: i64,
    cached: BTreeMap<Key, Cached>,
    /// Cached blocks nobody uses, the least recently used first.
    unused: BTreeMap<u64, Key>,
    uses: u64,
}

impl Blocks {
    pub(crate) fn new(total: i64, block_size: i64) -> Self {
        Self {
            block_size,
            total,
            own: 0,
            taken: 0,
            cached: BTreeMap::new(),
            unused: BTreeMap::new(),
            uses: 0,
        }
    }

    /// How many blocks could be handed out; negative when more are taken than there are.
    pub(crate) fn free(&self) -> i64 {
        let cached_in_use = self.cached.len() as i64 - self.unused.len() as i64;
        self.total - self.taken - self.own - cached_in_use
    }

    /// Takes blocks away from the engine, or gives them back when negative.
    pub(crate) fn take_away(&mut self, blocks: i64) {
        self.taken += blocks;
    }

    /// Tokens of a prefix that need not be computed, whole blocks only.
    pub(crate) fn cached_tokens(&self, prefix: Option<(u32, i64)>, at_most: i64) -> i64 {
        let Some((prefix, length)) = prefix else { return 0 };
        let blocks = length.min(at_most) / self.block_size;
        let hit = (0..blocks).take_while(|&block| self.cached.contains_key(&(prefix, block))).count();
        hit as i64 * self.block_size
    }

    /// Gives a request all blocks for its first `tokens` tokens, of which `cached` were found cached. False, and
    /// nothing changes, when they do not fit.
    pub(crate) fn hold(
        &mut self,
        held: &mut Held,
        prefix: Option<(u32, i64)>,
        cached: i64,
        tokens: i64,
    ) -> bool {
        let newly_shared = (cached / self.block_size - held.shared).max(0);
        let wanted = (tokens + self.block_size - 1) / self.block_size;
        let own = (wanted - held.own - held.shared - newly_shared).max(0);
        let shares = (held.shared..held.shared + newly_shared).filter_map(|block| Some((prefix?.0, block)));
        // A cached block that nobody uses yet is one of the free ones.
        let revived = shares.clone().filter(|key| self.cached.get(key).is_some_and(|c| c.users == 0)).count();
        if own + revived as i64 > self.free() {
            return false;
        }
        for key in shares {
            self.share(key);
        }
        held.shared += newly_shared;
        held.own += own;
        self.own += own;
        self.evict();
        true
    }

    /// Turns the full blocks of a prefix that a request has computed into cached ones.
    pub(crate) fn keep(&mut self, held: &mut Held, prefix: Option<(u32, i64)>, computed: i64) {
        let Some((prefix, length)) = prefix else { return };
        let full = length.min(computed) / self.block_size;
        while held.shared < full && held.own > 0 {
            let key = (prefix, held.shared);
            if self.cached.contains_key(&key) {
                // Somebody else computed it meanwhile; this copy stays the request's own.
                break;
            }
            self.uses += 1;
            self.cached.insert(key, Cached { users: 1, last_used: self.uses });
            held.own -= 1;
            self.own -= 1;
            held.shared += 1;
        }
    }

    /// Takes a request's blocks back; shared ones stay cached until their room is needed.
    pub(crate) fn release(&mut self, held: &mut Held, prefix: Option<(u32, i64)>) {
        self.own -= held.own;
        if let Some((prefix, _)) = prefix {
            // The end of a prefix is less often of use than its beginning.
            for block in (0..held.shared).rev() {
                self.uses += 1;
                if let Some(cached) = self.cached.get_mut(&(prefix, block)) {
                    cached.users -= 1;
                    cached.last_used = self.uses;
                    if cached.users == 0 {
                        self.unused.insert(self.uses, (prefix, block));
                    }
                }
            }
        }
        *held = Held::default();
        self.evict();
    }

    /// Forgets every cached block that nobody uses.
    pub(crate) fn forget_cached(&mut self) {
        for key in std::mem::take(&mut self.unused).into_values() {
            self.cached.remove(&key);
        }
    }

    fn share(&mut self, key: Key) {
        if let Some(cached) = self.cached.get_mut(&key) {
            if cached.users == 0 {
                self.unused.remove(&cached.last_used);
            }
            cached.users += 1;
        }
    }

    /// Makes unused cached blocks room for others when all blocks are spoken for.
    fn evict(&mut self) {
        while self.free() < self.unused.len() as i64 {
            let Some((_, key)) = self.unused.pop_first() else { return };
            self.cached.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIX: Option<(u32, i64)> = Some((3, 40));

    #[test]
    fn blocks_are_whole_and_come_back() {
        let mut blocks = Blocks::new(4, 16);
        let (mut a, mut b) = (Held::default(), Held::default());
        assert!(blocks.hold(&mut a, None, 0, 17));
        assert!(blocks.hold(&mut a, None, 0, 32), "the second block has room");
        assert_eq!(blocks.free(), 2);
        assert!(!blocks.hold(&mut b, None, 0, 33));
        assert_eq!((blocks.free(), &b), (2, &Held::default()), "a refusal changes nothing");
        blocks.release(&mut a, None);
        assert_eq!(blocks.free(), 4);
        assert!(blocks.hold(&mut b, None, 0, 33));
    }

    #[test]
    fn a_prefix_is_found_again_in_whole_blocks() {
        let mut blocks = Blocks::new(8, 16);
        let mut first = Held::default();
        assert_eq!(blocks.cached_tokens(PREFIX, 100), 0);
        assert!(blocks.hold(&mut first, PREFIX, 0, 60));
        blocks.keep(&mut first, PREFIX, 60);
        assert_eq!(blocks.cached_tokens(PREFIX, 100), 32, "two full blocks of 40 tokens");
        assert_eq!(blocks.cached_tokens(PREFIX, 31), 16);
        let mut second = Held::default();
        assert!(blocks.hold(&mut second, PREFIX, 32, 60));
        assert_eq!(blocks.free(), 8 - 4 - 2);
        blocks.release(&mut first, PREFIX);
        assert_eq!(blocks.free(), 8 - 4, "the second still shares two");
        blocks.release(&mut second, PREFIX);
        assert_eq!(
            (blocks.free(), blocks.cached_tokens(PREFIX, 100)),
            (8, 32),
            "cached blocks count as free"
        );
        blocks.forget_cached();
        assert_eq!(blocks.cached_tokens(PREFIX, 100), 0);
    }

    #[test]
    fn cached_blocks_make_room_when_it_is_needed() {
        let mut blocks = Blocks::new(4, 16);
        let mut first = Held::default();
        assert!(blocks.hold(&mut first, PREFIX, 0, 40));
        blocks.keep(&mut first, PREFIX, 40);
        blocks.release(&mut first, PREFIX);
        let mut second = Held::default();
        assert!(blocks.hold(&mut second, None, 0, 48));
        assert_eq!(blocks.free(), 1);
        assert_eq!(blocks.cached_tokens(PREFIX, 100), 16, "its beginning was kept the longest");
    }

    #[test]
    fn blocks_taken_away_are_missing_at_once() {
        let mut blocks = Blocks::new(4, 16);
        let mut held = Held::default();
        assert!(blocks.hold(&mut held, None, 0, 48));
        blocks.take_away(2);
        assert_eq!(blocks.free(), -1);
        assert!(!blocks.hold(&mut held, None, 0, 48));
        blocks.take_away(-2);
        assert_eq!(blocks.free(), 1);
    }
}
