//! Small logs in the notation of the specification: `0-2-10 a; 15-17-never b`.

use serde_json::{Value, json};
use stepscope_epoch_log::{Epoch, read_lines};

use crate::config::Config;
use crate::rules::Rules;
use crate::stalls::{Stall, each_stall};
use crate::steps::Steps;
use crate::window::Window;

pub(super) const MS: i64 = 1_000_000;
/// What the wall clock is ahead of the monotonic one, so that no test can take one for the other.
pub(super) const WALL: i64 = 1_790_000_000_000_000_000;
const EPOCH: &str = "engine-812-500";

pub(super) fn wall(ms: i64) -> i64 {
    WALL + ms * MS
}

/// Records in `seq` order.
#[derive(Clone, Default)]
pub(super) struct Log {
    lines: Vec<u8>,
    seq: i64,
}

impl Log {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// A log of steps only.
    pub(super) fn of(steps: &str) -> Self {
        Self::new().steps(steps)
    }

    /// Adds a record; of the common fields only what is not given.
    pub(super) fn record(mut self, kind: &str, fields: Value) -> Self {
        let mut line =
            json!({"format": "stormlog.vllm_hook/1", "kind": kind, "epoch": EPOCH, "seq": self.seq});
        if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), fields) {
            line.extend(fields);
        }
        self.lines.extend_from_slice(line.to_string().as_bytes());
        self.lines.push(b'\n');
        self.seq += 1;
        self
    }

    /// The log with a text replaced, for JSON that [`json!`] does not write.
    pub(super) fn replaced(mut self, from: &str, to: &str) -> Self {
        let lines = String::from_utf8(self.lines).expect("text");
        assert!(lines.contains(from), "{from} is not in the log");
        self.lines = lines.replace(from, to).into_bytes();
        self
    }

    /// Leaves a `seq` out.
    pub(super) fn hole(mut self) -> Self {
        self.seq += 1;
        self
    }

    /// `start-end-done members`, ms, joined by `; `. `never` for done: not completed. A member is a name, then `!`
    /// when it finishes in the step, then `~` and its prompt length when it is streaming. `x100` gives the tokens,
    /// 1 otherwise; `none` stands for no members.
    pub(super) fn steps(mut self, text: &str) -> Self {
        for (at, step) in text.split("; ").enumerate() {
            self = self.step(&format!("{}", at), step);
        }
        self
    }

    /// One step under a name of its own.
    pub(super) fn step(self, iteration: &str, text: &str) -> Self {
        let mut words = text.split(' ');
        let times: Vec<Option<i64>> =
            words.next().expect("times").split('-').map(|time| time.parse().ok()).collect();
        let (start, end, done) = (times[0].expect("a start"), times[1].expect("an end"), times[2]);
        let (mut members, mut outcomes, mut tokens) = (Vec::new(), Vec::new(), 1);
        for word in words.filter(|word| *word != "none") {
            if let Some(count) = word.strip_prefix('x') {
                tokens = count.parse().expect("tokens");
                continue;
            }
            let (name, prompt) =
                word.split_once('~').map_or((word, None), |(name, prompt)| (name, Some(prompt)));
            let id = name.trim_end_matches('!');
            let mut member = json!({"internal": id, "resumable": prompt.is_some()});
            if let Some(prompt) = prompt.and_then(|prompt| prompt.parse::<i64>().ok()) {
                member["prompt_tokens"] = json!(prompt);
            }
            members.push(member);
            let reason = if name.ends_with('!') { json!("stop") } else { Value::Null };
            outcomes.push(json!({"internal": id, "outcome": "kept", "finish_reason": reason}));
        }
        let scheduled = self.record(
            "scheduled",
            json!({
                "iteration": iteration, "start_wall_ns": wall(start), "start_mono_ns": start * MS,
                "end_wall_ns": wall(end), "end_mono_ns": end * MS, "total_tokens": tokens, "members": members,
            }),
        );
        let Some(done) = done else { return scheduled };
        let fields =
            json!({"iteration": iteration, "wall_ns": wall(done), "mono_ns": done * MS, "members": outcomes});
        scheduled.record("completed", fields)
    }

    pub(super) fn hello(self, ms: i64, observes: Value) -> Self {
        self.record("hello", json!({"observes": observes, "clock": {"wall_ns": wall(ms)}}))
    }

    pub(super) fn heartbeat(self, ms: i64) -> Self {
        self.beat(ms, json!({}))
    }

    /// A heartbeat with some fields otherwise.
    pub(super) fn beat(self, ms: i64, otherwise: Value) -> Self {
        let mut fields = json!({
            "wall_ns": wall(ms), "mono_ns": ms * MS, "dropped": {}, "errors": 0, "capped": false,
        });
        if let (Some(fields), Value::Object(otherwise)) = (fields.as_object_mut(), otherwise) {
            fields.extend(otherwise);
        }
        self.record("heartbeat", fields)
    }

    pub(super) fn pause(self, to: &str, ms: i64) -> Self {
        self.record("pause", json!({"to": to, "wall_ns": wall(ms), "mono_ns": ms * MS}))
    }

    pub(super) fn terminal(self, id: &str, ms: i64) -> Self {
        self.record("terminal", json!({"internal": id, "wall_ns": wall(ms), "mono_ns": ms * MS}))
    }

    pub(super) fn goodbye(self, ms: i64) -> Self {
        self.record("goodbye", json!({"wall_ns": wall(ms), "mono_ns": ms * MS}))
    }

    pub(super) fn epoch(&self) -> Epoch {
        let epoch = read_lines(EPOCH, &self.lines);
        assert!(epoch.problems.iter().all(|problem| !problem.kind.is_reader_error()), "{:?}", epoch.problems);
        epoch
    }

    /// All candidates, none blocked but by pauses, as text; `now` in ms.
    pub(super) fn stalls(&self, rules: Rules, now: Option<i64>) -> Vec<String> {
        let epoch = self.epoch();
        let corrections = rules.into();
        let window = Window::of(&epoch, 0);
        let steps = Steps::of_window(&window, corrections);
        let (pauses, _) = crate::blocked::pause_intervals(&window);
        let blocked = crate::blocked::Blocked::new(&pauses, &[], corrections);
        let now = crate::stalls::Now::of(&window, &steps, now.map(wall), true, corrections);
        let mut stalls = Vec::new();
        each_stall(&steps, &blocked, &now, |stall| stalls.push(in_words(&stall)));
        stalls
    }

    pub(super) fn diagnose(&self, config: &Config) -> crate::Diagnosis {
        crate::diagnose(&self.epoch(), config)
    }
}

fn in_words(stall: &Stall) -> String {
    let mut text = format!("{} {} @{}", stall.locus.name(), stall.duration_ns / MS, stall.start_mono_ns / MS);
    for (holds, word) in [(stall.ongoing, " ongoing"), (stall.overlapped, " overlapped")] {
        if holds {
            text += word;
        }
    }
    if stall.bucket != 1 {
        text += &format!(" bucket {}", stall.bucket);
    }
    text
}
