//! Pauses of the scheduler as an artifact tells them (`diagnose.md` P2, B2).

use std::collections::BTreeMap;

use crate::object::Object;

/// The changes of the pause state of one engine, by epoch and `seq`.
#[derive(Clone, Debug, Default)]
pub(super) struct PauseChanges(BTreeMap<(Vec<u8>, i64), Change>);

#[derive(Clone, Copy, Debug)]
struct Change {
    pauses_all: bool,
    wall_ns: Option<i64>,
}

impl Change {
    fn of(fields: &Object<'_>) -> Self {
        Self {
            pauses_all: fields.text("to").as_deref() == Some(b"PAUSED_ALL"),
            wall_ns: fields.int("wall_ns"),
        }
    }
}

impl PauseChanges {
    /// A stage's metadata.
    pub(super) fn stage(&mut self, metadata: &Object<'_>) {
        if let (Some(epoch), Some(seq)) = (metadata.text("epoch"), metadata.int("seq")) {
            self.0.insert((epoch.into_owned(), seq), Change::of(metadata));
        }
    }

    /// A fact that no step came before (`reduce.md` T10); every import that reads it again repeats it.
    pub(super) fn unanchored(&mut self, epoch: &[u8], fact: &Object<'_>) {
        if let (Some(b"engine.pause_transition"), Some(seq)) = (fact.text("name").as_deref(), fact.int("seq"))
        {
            self.0.entry((epoch.to_vec(), seq)).or_insert_with(|| Change::of(fact));
        }
    }

    /// The intervals in which everything was paused, wall ns, by the rule for raw records (B2).
    pub(super) fn intervals(&self) -> Vec<(i64, i64)> {
        let (mut intervals, mut open) = (Vec::new(), None);
        for change in self.0.values() {
            let Some(wall_ns) = change.wall_ns else { continue };
            match (change.pauses_all, open) {
                (true, None) => open = Some(wall_ns),
                (false, Some(start)) => {
                    intervals.push((start, wall_ns));
                    open = None;
                }
                _ => {}
            }
        }
        intervals.extend(open.map(|start| (start, stepscope_diagnose::OPEN_END_NS)));
        intervals
    }
}
