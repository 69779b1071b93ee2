//! The clock alignment of an epoch (`reduce.md` §10.2).

use stepscope_epoch_log::Epoch;

use crate::notes::{NoteKind, Notes};
use crate::record::Bracket;

/// What is written about the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alignment {
    pub(crate) bracket: Bracket,
    pub(crate) gap_ns: i64,
    pub(crate) offset_ns: i64,
    pub(crate) uncertainty_ns: i64,
    pub(crate) valid_to_ns: Option<i64>,
    pub(crate) source_seq: i64,
    pub(crate) valid_to_source_seq: Option<i64>,
}

impl Alignment {
    /// A2; `None` without a usable bracket.
    pub(crate) fn of(epoch: &Epoch, notes: &mut Notes) -> Option<Self> {
        let hello = epoch.hello.as_ref()?;
        let clock = &hello.clock;
        let (wall_ns, mono_ns) = (clock.wall_ns?, clock.mono_ns?);
        let wall_after_ns = match clock.wall_after_ns {
            Some(after) => after,
            None => wall_ns.checked_add(clock.gap_ns?)?,
        };
        let gap_ns = wall_after_ns.checked_sub(wall_ns).filter(|&gap| gap >= 0)?;
        let half = gap_ns / 2;
        let offset_ns = wall_ns.checked_sub(mono_ns)?.checked_add(half)?;
        if mono_ns < 0 {
            notes.add(NoteKind::NegativeTime, Some(hello.seq));
            return None;
        }
        let goodbye = &epoch.log.goodbye;
        let mut valid_to_ns = epoch.goodbye.and_then(|row| goodbye.at.mono.int(row));
        if valid_to_ns.is_some_and(|to| to < mono_ns) {
            notes.add(NoteKind::GoodbyeBeforeHello, epoch.goodbye.map(|row| goodbye.seq[row]));
            valid_to_ns = None;
        }
        Some(Self {
            bracket: Bracket { wall_ns, mono_ns, wall_after_ns },
            gap_ns,
            offset_ns,
            uncertainty_ns: gap_ns - half,
            valid_to_ns,
            source_seq: hello.seq,
            valid_to_source_seq: epoch.goodbye.map(|row| goodbye.seq[row]),
        })
    }
}
