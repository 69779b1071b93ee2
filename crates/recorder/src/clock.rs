//! The two clocks a stamp is read from, injected so that every rule about time is tested without waiting.

use std::sync::atomic::{AtomicI64, Ordering};

/// The host's clocks. Both may be read from any thread.
pub trait Clock: Send + Sync {
    /// Nanoseconds since 1970-01-01 UTC. May be stepped back by whoever sets the host's clock.
    fn wall_ns(&self) -> i64;
    /// Nanoseconds of the host's monotonic clock, comparable within one host and one boot.
    fn mono_ns(&self) -> i64;
}

/// A bracketed stamp: wall, mono and wall again, read back to back (`raw-log.md` B1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Wall time before, ns.
    pub wall_ns: i64,
    /// Monotonic time, ns.
    pub mono_ns: i64,
    /// Wall time after, ns; below `wall_ns` when the clock was stepped back in between (B2).
    pub wall_after_ns: i64,
}

impl Stamp {
    /// Reads the clocks in the order of B1.
    pub fn read(clock: &dyn Clock) -> Self {
        let wall_ns = clock.wall_ns();
        let mono_ns = clock.mono_ns();
        Self { wall_ns, mono_ns, wall_after_ns: clock.wall_ns() }
    }
}

/// A clock that stands still until it is told to move: for tests and for simulated engines.
#[derive(Debug, Default)]
pub struct ManualClock {
    wall_ns: AtomicI64,
    mono_ns: AtomicI64,
}

impl ManualClock {
    /// A clock showing these times, ns.
    pub fn new(wall_ns: i64, mono_ns: i64) -> Self {
        Self { wall_ns: AtomicI64::new(wall_ns), mono_ns: AtomicI64::new(mono_ns) }
    }

    /// Moves both clocks on by `ns`.
    pub fn advance(&self, ns: i64) {
        self.wall_ns.fetch_add(ns, Ordering::SeqCst);
        self.mono_ns.fetch_add(ns, Ordering::SeqCst);
    }

    /// Moves the wall clock alone, back when `ns` is negative.
    pub fn step_wall(&self, ns: i64) {
        self.wall_ns.fetch_add(ns, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn wall_ns(&self) -> i64 {
        self.wall_ns.load(Ordering::SeqCst)
    }

    fn mono_ns(&self) -> i64 {
        self.mono_ns.load(Ordering::SeqCst)
    }
}

/// The host's real clocks.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[cfg(unix)]
impl SystemClock {
    fn read(id: rustix::time::ClockId) -> i64 {
        let now = rustix::time::clock_gettime(id);
        now.tv_sec.saturating_mul(1_000_000_000).saturating_add(now.tv_nsec)
    }
}

#[cfg(unix)]
impl Clock for SystemClock {
    fn wall_ns(&self) -> i64 {
        Self::read(rustix::time::ClockId::Realtime)
    }

    fn mono_ns(&self) -> i64 {
        Self::read(rustix::time::ClockId::Monotonic)
    }
}
