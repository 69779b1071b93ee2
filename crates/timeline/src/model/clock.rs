//! The epoch's time: offsets from its first stamp.

use stepscope_epoch_log::{Epoch, Ints, Stamps};

/// Offsets end here, ns: 73 years, so that neither sum nor difference of two ever overflows.
pub(crate) const LAST: i64 = 1 << 61;

/// Where an epoch's monotonic time begins and ends. Offsets are nanoseconds, from 0 to 73 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    origin_mono: i64,
    origin_wall: Option<i64>,
    end: i64,
}

impl Clock {
    /// The first and last monotonic stamp of any record.
    pub fn of(epoch: &Epoch) -> Self {
        let mut span = Extent::default();
        let log = &epoch.log;
        if let Some(hello) = &epoch.hello
            && let Some(mono) = hello.clock.mono_ns
        {
            span.take(mono, hello.clock.wall_ns);
        }
        for stamps in [
            &log.alias.at,
            &log.enqueued.at,
            &log.scheduled.start,
            &log.scheduled.end,
            &log.completed.at,
            &log.terminal.at,
            &log.pause.at,
            &log.cache_reset.start,
            &log.cache_reset.end,
            &log.heartbeat.at,
            &log.goodbye.at,
        ] {
            span.take_all(stamps);
        }
        let Some((first, wall)) = span.first else {
            return Self::default();
        };
        Self { origin_mono: first, origin_wall: wall, end: span.last.saturating_sub(first).min(LAST) }
    }

    /// The offset of a monotonic stamp.
    #[inline]
    pub fn at(self, mono: i64) -> i64 {
        mono.saturating_sub(self.origin_mono).clamp(0, LAST)
    }

    /// An offset some time after another; a negative time counts as none.
    pub fn later(self, offset: i64, by: i64) -> i64 {
        offset.saturating_add(by.max(0)).min(LAST)
    }

    /// The offset of a row's stamp, when it is an integer.
    #[inline]
    pub fn of_row(self, mono: &Ints<i64>, row: usize) -> Option<i64> {
        mono.int(row).map(|mono| self.at(mono))
    }

    /// The first stamp, monotonic clock.
    pub fn origin_mono(self) -> i64 {
        self.origin_mono
    }

    /// The wall time read with the first stamp, milliseconds since 1970 UTC.
    pub fn origin_wall_ms(self) -> Option<f64> {
        self.origin_wall.map(|wall| wall as f64 / 1e6)
    }

    /// Offset of the last stamp.
    pub fn end(self) -> i64 {
        self.end
    }

    /// The same clock with a later end.
    #[must_use]
    pub(crate) fn ending_at(self, end: i64) -> Self {
        Self { end: self.end.max(end).min(LAST), ..self }
    }
}

#[derive(Default)]
struct Extent {
    first: Option<(i64, Option<i64>)>,
    last: i64,
}

impl Extent {
    fn take(&mut self, mono: i64, wall: Option<i64>) {
        match self.first {
            None => {
                self.first = Some((mono, wall));
                self.last = mono;
            }
            Some((first, _)) if mono < first => self.first = Some((mono, wall)),
            Some(_) => self.last = self.last.max(mono),
        }
    }

    fn take_all(&mut self, stamps: &Stamps) {
        for row in 0..stamps.mono.len() {
            if let Some(mono) = stamps.mono.int(row) {
                self.take(mono, stamps.wall.int(row));
            }
        }
    }
}
