//! Frees, pauses and cache resets (`record.md` §8–10).

use super::{EngineRecorder, FreedRequest, Named};
use crate::clock::Stamp;
use crate::json::Encoder;
use crate::record::{Fields, Kind, NotEncodable, characters_exceed};

/// A prefix-cache reset that is going on: what was read before it.
#[derive(Debug)]
pub struct CacheReset {
    reset_running_requests: bool,
    reset_connector: bool,
    running: Vec<String>,
    start: Stamp,
}

impl EngineRecorder {
    /// Before the engine frees a request: emits `terminal` and forgets the id. The record exists even if the free then
    /// fails; two frees give two records.
    pub fn freeing(&mut self, request: &FreedRequest<'_>) {
        let writer = self.writer.clone();
        writer.isolate(|| {
            self.known.remove(request.id);
            let ticket = self.writer.reserve();
            let stamp = self.writer.stamp();
            ticket.emit(Kind::Terminal, &TerminalFields { request, stamp });
        });
    }

    /// The pause state was set. `from` is the state read before the call, `None` when it could not be read; `to` the
    /// state asked for. Nothing is emitted when both are known and equal (P1), nor is this called when the engine's
    /// call raised.
    pub fn paused(&self, from: Option<Named<'_>>, to: Option<Named<'_>>) {
        self.writer.isolate(|| {
            let (from, to) = (from.map(Named::state_name), to.map(Named::state_name));
            if from.is_some() && from == to {
                return;
            }
            let ticket = self.writer.reserve();
            let stamp = self.writer.stamp();
            ticket.emit(Kind::Pause, &PauseFields { from, to, stamp });
        });
    }

    /// Before a prefix-cache reset: what was asked for, and the running requests in the scheduler's order, which the
    /// engine may preempt before it knows whether the reset succeeds. `None` when that could not be read; nothing is
    /// emitted then.
    pub fn before_cache_reset<'r>(
        &self,
        reset_running_requests: bool,
        reset_connector: bool,
        running: impl IntoIterator<Item = &'r str>,
    ) -> Option<CacheReset> {
        self.writer.isolate(|| CacheReset {
            reset_running_requests,
            reset_connector,
            running: running.into_iter().map(str::to_owned).collect(),
            start: self.writer.stamp(),
        })
    }

    /// The reset has ended: what it returned (nothing counts as false), or `None` when it raised.
    pub fn cache_reset(&self, reset: Option<CacheReset>, returned: Option<bool>) {
        self.writer.isolate(|| {
            let Some(reset) = reset else { return };
            let ticket = self.writer.reserve();
            let end = self.writer.stamp();
            ticket.emit(Kind::CacheReset, &CacheResetFields { reset: &reset, returned, end });
        });
    }
}

struct TerminalFields<'a> {
    request: &'a FreedRequest<'a>,
    stamp: Stamp,
}

impl Fields for TerminalFields<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        let request = self.request;
        out.raw("{\"internal\":").string(request.id);
        out.raw(",\"status\":").opt_string(request.status.map(Named::status_name));
        out.raw(",\"finish_reason\":").opt_string(request.finish_reason);
        out.raw(",\"output_tokens\":").int(request.output_tokens);
        out.raw(",").stamp("", self.stamp).raw("}");
        Ok(())
    }

    fn surely_exceeds(&self, limit: usize) -> bool {
        let status = self.request.status.map(Named::status_name);
        characters_exceed(
            [self.request.id].into_iter().chain(status).chain(self.request.finish_reason),
            limit,
        )
    }

    fn size_hint(&self) -> usize {
        256 + self.request.id.len()
    }
}

struct PauseFields<'a> {
    from: Option<&'a str>,
    to: Option<&'a str>,
    stamp: Stamp,
}

impl Fields for PauseFields<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        out.raw("{\"from\":").opt_string(self.from).raw(",\"to\":").opt_string(self.to);
        out.raw(",").stamp("", self.stamp).raw("}");
        Ok(())
    }

    fn surely_exceeds(&self, limit: usize) -> bool {
        characters_exceed(self.from.into_iter().chain(self.to), limit)
    }
}

struct CacheResetFields<'a> {
    reset: &'a CacheReset,
    returned: Option<bool>,
    end: Stamp,
}

impl Fields for CacheResetFields<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        out.raw("{\"reset_running_requests\":").bool(self.reset.reset_running_requests);
        out.raw(",\"reset_connector\":").bool(self.reset.reset_connector);
        out.raw(",\"running\":").strings(self.reset.running.iter().map(String::as_str));
        out.raw(",").stamp("start_", self.reset.start);
        out.raw(",\"succeeded\":").opt_bool(self.returned);
        out.raw(",\"raised\":").bool(self.returned.is_none());
        out.raw(",").stamp("end_", self.end).raw("}");
        Ok(())
    }

    fn size_hint(&self) -> usize {
        512 + self.reset.running.iter().map(|id| id.len() + 3).sum::<usize>()
    }
}
