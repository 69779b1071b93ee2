//! From an ID and a time to its execution (E7), without a search through all of them.

use rustc_hash::FxHashMap;
use stepscope_epoch_log::TextId;

use super::NONE;

/// Admission (`None`, unknown, sorts first), place, execution.
type Entry = (Option<i64>, u32, u32);

/// The executions of every ID.
pub(crate) struct ById {
    /// By ID, the only execution.
    only: Vec<u32>,
    /// Those of IDs with several, in E7's order.
    several: FxHashMap<TextId, Vec<Entry>>,
    /// Admission and place of an ID's only execution, in case a second one comes.
    firsts: FxHashMap<TextId, (Option<i64>, u32)>,
}

/// Marks an ID with several executions.
const SEVERAL: u32 = NONE - 1;

impl ById {
    pub(crate) fn new(texts: usize) -> Self {
        Self { only: vec![NONE; texts], several: FxHashMap::default(), firsts: FxHashMap::default() }
    }

    #[inline]
    pub(crate) fn at(&self, id: TextId, mono_ns: Option<i64>) -> Option<u32> {
        match self.only[id as usize] {
            NONE => None,
            SEVERAL => {
                let entries = self.several.get(&id)?;
                let later = match mono_ns {
                    // An unknown admission is before every time.
                    Some(time) => entries.partition_point(|entry| entry.0 <= Some(time)),
                    None => 0,
                };
                entries.get(later.saturating_sub(1)).map(|entry| entry.2)
            }
            only => Some(only),
        }
    }

    pub(crate) fn insert(&mut self, id: TextId, admission: Option<i64>, place: u32, execution: u32) {
        let new = (admission, place, execution);
        match self.only[id as usize] {
            NONE => {
                self.only[id as usize] = execution;
                self.firsts.insert(id, (admission, place));
            }
            SEVERAL => {
                let entries = self.several.entry(id).or_default();
                let at = entries.partition_point(|entry| (entry.0, entry.1) < (admission, place));
                entries.insert(at, new);
            }
            only => {
                let (admission, place) = self.firsts.remove(&id).unwrap_or_default();
                let mut entries = vec![(admission, place, only), new];
                entries.sort_unstable();
                self.several.insert(id, entries);
                self.only[id as usize] = SEVERAL;
            }
        }
    }

    pub(crate) fn remove(&mut self, id: TextId, execution: u32) {
        match self.only[id as usize] {
            NONE => {}
            SEVERAL => {
                if let Some(entries) = self.several.get_mut(&id) {
                    entries.retain(|entry| entry.2 != execution);
                    if entries.is_empty() {
                        self.only[id as usize] = NONE;
                        self.several.remove(&id);
                    }
                }
            }
            _ => {
                self.only[id as usize] = NONE;
                self.firsts.remove(&id);
            }
        }
    }
}
