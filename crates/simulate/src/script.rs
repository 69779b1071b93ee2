//! What happens to an engine from outside, and when.

/// A pause state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PauseState {
    Unpaused,
    PausedNew,
    PausedAll,
}

impl PauseState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unpaused => "UNPAUSED",
            Self::PausedNew => "PAUSED_NEW",
            Self::PausedAll => "PAUSED_ALL",
        }
    }
}

/// When something happens. Times are ns after the writer's creation; all but arrivals happen on the engine's own
/// thread, between two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Between two steps, not before this time.
    At(i64),
    /// After so many steps have completed.
    AfterStep(u64),
    /// Whenever the engine has run for this long since the last time.
    Each(i64),
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// The engine's thread does something else for this long.
    Wait(i64),
    /// The pause state is set.
    Pause(PauseState),
    /// The prefix cache is reset, with the running requests or without; takes this long.
    ResetCache { running: bool, takes_ns: i64 },
    /// A request is admitted, by its place among the scripted ones.
    Admit(usize),
    /// The client of this name goes away.
    Abort(String),
    /// KV blocks are taken away from the engine, or given back when negative.
    TakeBlocks(i64),
    /// The next scheduler call takes so much longer.
    SlowSchedule(i64),
    /// The next step takes so much longer.
    SlowStep(i64),
    /// Processing the next output raises, and the engine ends.
    FailUpdate,
    /// The disk takes nothing for this long.
    StallWriter(i64),
    /// Nothing more is scheduled; a step in flight does not complete when asked so.
    Hang { in_step: bool },
    /// The process is killed, perhaps in the middle of writing a line.
    Kill { torn: bool },
}

/// Something that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) when: When,
    pub(crate) actions: Vec<Action>,
}

pub(crate) fn at(ns: i64, actions: impl Into<Vec<Action>>) -> Event {
    Event { when: When::At(ns), actions: actions.into() }
}

pub(crate) fn after_step(step: u64, actions: impl Into<Vec<Action>>) -> Event {
    Event { when: When::AfterStep(step), actions: actions.into() }
}
