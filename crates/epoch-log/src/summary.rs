//! The epoch summary (`reading.md` §16) as a JSON object. It holds no record content.

use crate::coverage::coverage;
use crate::epoch::Epoch;
use crate::json::{Number, Value};
use crate::liveness::{Beat, GAP_NS, Liveness};

fn object(fields: Vec<(&str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)).collect())
}

/// An integer of any size, given as its digits.
fn integer(digits: &str) -> Value {
    Value::Number(digits.parse().map_or_else(|_| Number::Big(digits.to_owned()), Number::Int))
}

impl Epoch {
    /// The reader's errors in order (`reading.md` §7), each with its place in front.
    pub fn reader_errors(&self) -> impl Iterator<Item = &crate::Problem> {
        self.problems.iter().filter(|problem| problem.kind.is_reader_error())
    }

    /// The summary of the epoch, fields in the order of `reading.md` §16.
    pub fn summary(&self) -> Value {
        let sequence = &self.sequence;
        let status = |name: &str| self.status.as_ref().map_or(Value::Null, |status| status.field(name));
        let dropped = match status("dropped") {
            dropped @ Value::Object(_) => dropped,
            // reading.md Z-2: anything else counts as nothing dropped.
            _ => Value::Object(Vec::new()),
        };
        object(vec![
            ("host_boot", self.host_boot.as_str().into()),
            ("role", self.name.role.name().into()),
            ("pid", integer(&self.name.pid)),
            ("start_ns", integer(&self.name.start_ns)),
            ("state", self.state.name().into()),
            ("state_reason", self.state.reason().into()),
            ("records", ((self.log.seq.len() - self.first_new) as i64).into()),
            ("last_seq", sequence.last.into()),
            ("contiguous_seq", sequence.contiguous.into()),
            ("writer_last_seq", sequence.writer_last.into()),
            ("high_water_seq", sequence.consumed().into()),
            ("truncated", self.truncated.into()),
            ("gaps", sequence.gaps.into()),
            ("dropped", dropped),
            ("capped", self.status.as_ref().is_some_and(|status| status.capped).into()),
            ("queued", status("queued")),
            ("pending_iterations", status("pending_iterations")),
            ("range_misses", status("range_misses")),
            ("startup_unranged", status("startup_unranged")),
            ("pending_samples", status("pending_samples")),
            (
                "errors",
                self.reader_errors().map(|problem| Value::from(problem.to_string().as_str())).collect(),
            ),
            ("coverage", self.coverage_block()),
            ("liveness", self.liveness_block()),
        ])
    }

    fn coverage_block(&self) -> Value {
        let coverage = coverage(self);
        let observes = self.hello.as_ref().and_then(|hello| hello.observes.as_ref());
        let spans = coverage.spans.iter().map(|span| {
            object(vec![
                ("start_seq", span.start_seq.into()),
                ("start_mono_ns", span.start_mono_ns.into()),
                ("start_wall_ns", span.start_wall_ns.into()),
                ("end_seq", span.end_seq.into()),
                ("end_mono_ns", span.end_mono_ns.into()),
                ("end_wall_ns", span.end_wall_ns.into()),
            ])
        });
        object(vec![
            ("basis", "heartbeat_counters/1".into()),
            ("observes", observes.map(|kinds| kinds.iter().map(String::as_str).collect::<Value>()).into()),
            ("heartbeats", (self.log.heartbeat.seq.len() as i64).into()),
            ("spans", spans.collect()),
            (
                "held",
                object(
                    coverage.held.iter().map(|(&reason, &count)| (reason, (count as i64).into())).collect(),
                ),
            ),
        ])
    }

    fn liveness_block(&self) -> Value {
        let liveness = Liveness::of(self);
        let beat = |beat: Beat| {
            object(vec![
                ("seq", beat.seq.into()),
                ("mono_ns", beat.mono_ns.into()),
                ("wall_ns", beat.wall_ns.unwrap_or(0).into()),
            ])
        };
        let gaps = liveness.gaps().map(|(from, to)| {
            object(vec![
                ("start_seq", from.seq.into()),
                ("start_mono_ns", from.mono_ns.into()),
                ("start_wall_ns", from.wall_ns.unwrap_or(0).into()),
                ("end_seq", to.seq.into()),
                ("end_mono_ns", to.mono_ns.into()),
                ("end_wall_ns", to.wall_ns.unwrap_or(0).into()),
            ])
        });
        object(vec![
            ("basis", "heartbeat_gaps/1".into()),
            ("gap_ns", GAP_NS.into()),
            ("heartbeats", (liveness.beats.len() as i64).into()),
            ("max_interval_ns", liveness.max_interval_ns().into()),
            ("first", liveness.beats.first().copied().map(beat).into()),
            ("last", liveness.beats.last().copied().map(beat).into()),
            ("gaps", gaps.collect()),
        ])
    }
}
