//! Admission and hand-over (`record.md` §5).

use super::EngineRecorder;
use crate::clock::Stamp;
use crate::json::Encoder;
use crate::record::{Fields, Kind, NotEncodable, characters_exceed};
use crate::writer::{Ticket, Writer};

/// Records the admission of requests, on whatever thread admits them.
#[derive(Debug, Clone)]
pub struct Admissions {
    writer: Writer,
}

impl Admissions {
    pub(super) fn new(writer: Writer) -> Self {
        Self { writer }
    }

    /// Emits `alias`, before the engine handles the request. An empty external id is kept as empty.
    pub fn admit(&self, internal: &str, external: Option<&str>) {
        self.writer.isolate(|| {
            let ticket = self.writer.reserve();
            let stamp = self.writer.stamp();
            ticket.emit(Kind::Alias, &AliasFields { internal, external, stamp });
        });
    }
}

/// A hand-over that is going on. Dropping it abandons its reservation: the engine's call raised.
#[derive(Debug)]
pub struct HandOver {
    was_live: Option<bool>,
    announced: Option<(Ticket, Stamp)>,
    writer: Writer,
}

impl EngineRecorder {
    /// Before a request is handed to the scheduler. `is_live` is whether its id is live now, `None` when that cannot
    /// be found out; then nothing is emitted (A2).
    pub fn before_hand_over(&self, is_live: Option<bool>) -> HandOver {
        let announced = self.writer.isolate(|| {
            let ticket = self.writer.reserve();
            let stamp = self.writer.stamp();
            (ticket, stamp)
        });
        HandOver { was_live: is_live, announced, writer: self.writer.clone() }
    }
}

impl HandOver {
    /// The hand-over returned: emits `enqueued` with the stamp taken before it, unless the id was live then (A1).
    /// Both flags are as read now, `None` when the engine does not say.
    pub fn returned(self, internal: &str, structured_output: Option<bool>, resumable: Option<bool>) {
        let Self { was_live: Some(false), announced: Some((ticket, stamp)), writer } = self else { return };
        let fields = EnqueuedFields { internal, structured_output, resumable, stamp };
        writer.isolate(|| ticket.emit(Kind::Enqueued, &fields));
    }
}

struct AliasFields<'a> {
    internal: &'a str,
    external: Option<&'a str>,
    stamp: Stamp,
}

impl Fields for AliasFields<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        out.raw("{\"internal\":").string(self.internal);
        out.raw(",\"external\":").opt_string(self.external);
        out.raw(",").stamp("", self.stamp).raw("}");
        Ok(())
    }

    fn surely_exceeds(&self, limit: usize) -> bool {
        characters_exceed([self.internal].into_iter().chain(self.external), limit)
    }

    fn size_hint(&self) -> usize {
        192 + self.internal.len() + self.external.map_or(0, str::len)
    }
}

struct EnqueuedFields<'a> {
    internal: &'a str,
    structured_output: Option<bool>,
    resumable: Option<bool>,
    stamp: Stamp,
}

impl Fields for EnqueuedFields<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        out.raw("{\"internal\":").string(self.internal);
        out.raw(",\"structured_output\":").opt_bool(self.structured_output);
        out.raw(",\"resumable\":").opt_bool(self.resumable);
        out.raw(",").stamp("", self.stamp).raw("}");
        Ok(())
    }

    fn surely_exceeds(&self, limit: usize) -> bool {
        characters_exceed([self.internal].into_iter(), limit)
    }

    fn size_hint(&self) -> usize {
        224 + self.internal.len()
    }
}
