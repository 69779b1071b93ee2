//! Logs for tests, one word or phrase a record:
//!
//! ```text
//! hello | alias A x1 @110 | enq A | sched 0 A,B !A @120 | compl 0 A | term A | reset A,B | reset- A | pause | hb | bye | gap
//! ```
//!
//! Records take the sequence numbers from 0 on; `gap` leaves one out. Every stamp is 100 + 10 × seq (monotonic) unless
//! `@ns` says otherwise, `@-` leaves the monotonic one out; the wall clock is 1,000 ahead. `!A,B` is `preempted`; `reset-` does not preempt.
//! A member is `first`, `context`, with 8 tokens scheduled and a prompt of 8; an outcome is `kept`, 1 token retained.

use std::fmt::Write;

use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{Epoch, EpochParts, Importer, ReadOptions, SegmentParser, SideFile, assemble};

use crate::facts::{Options, Rules, RunFacts, RunRequest, Window};
use crate::{Reduction, reduce};

pub(crate) const EPOCH: &str = "engine-7-100";

/// How the epoch of a log ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    Alive,
    Unknown,
    Gone,
}

#[derive(Clone, Debug)]
pub(crate) struct Log {
    pub(crate) lines: Vec<String>,
    pub(crate) end: End,
    pub(crate) has_key: bool,
    pub(crate) mark: Option<i64>,
    seq: i64,
}

fn quoted(text: &str) -> String {
    Value::from(text).to_json()
}

fn list(ids: &str) -> Vec<&str> {
    ids.split(',').filter(|id| !id.is_empty()).collect()
}

fn quoted_list(ids: &str) -> String {
    let ids: Vec<String> = list(ids).into_iter().map(quoted).collect();
    format!("[{}]", ids.join(","))
}

impl Log {
    pub(crate) fn new(text: &str) -> Self {
        let mut log = Self { lines: Vec::new(), end: End::Unknown, has_key: true, mark: None, seq: 0 };
        log.add(text);
        log
    }

    /// Adds records.
    pub(crate) fn add(&mut self, text: &str) -> &mut Self {
        for record in text.split('|').map(str::trim).filter(|record| !record.is_empty()) {
            self.record(record);
        }
        self
    }

    /// Adds a record given as its own fields.
    pub(crate) fn raw(&mut self, kind: &str, fields: &str) -> &mut Self {
        let seq = self.seq;
        let start = format!("\"format\":\"stormlog.vllm_hook/1\",\"kind\":\"{kind}\",\"epoch\":\"{EPOCH}\"");
        self.lines.push(format!("{{{start},\"seq\":{seq},{fields}}}"));
        self.seq += 1;
        self
    }

    fn stamps(&self, prefix: &str, time: Option<&str>, later: i64) -> String {
        let usual = 100 + 10 * self.seq + later;
        let (mono, wall) = match time {
            Some("-") => ("null".to_owned(), usual + 1000),
            Some(time) => {
                let mono = time.parse::<i64>().expect("a time") + later;
                (mono.to_string(), mono + 1000)
            }
            None => (usual.to_string(), usual + 1000),
        };
        format!(
            "\"{prefix}wall_ns\":{wall},\"{prefix}mono_ns\":{mono},\"{prefix}wall_after_ns\":{}",
            wall + 3
        )
    }

    fn record(&mut self, text: &str) {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let mut take = |mark: char| {
            let at = words.iter().position(|word| word.starts_with(mark))?;
            Some(&words.remove(at)[1..])
        };
        let time = take('@');
        let preempted = quoted_list(take('!').unwrap_or(""));
        let word = |at: usize| words.get(at).copied().unwrap_or("");
        let at = self.stamps("", time, 0);
        let both = format!("{},{}", self.stamps("start_", time, 0), self.stamps("end_", time, 5));
        match word(0) {
            "gap" => self.seq += 1,
            "hello" => {
                let clock = "{\"wall_ns\":1000,\"mono_ns\":100,\"wall_after_ns\":1003}";
                self.raw(
                    "hello",
                    &format!(
                        "\"host\":\"h\",\"boot_id\":\"b\",\"producer\":\"P\",\"clock\":{clock},\"config\":{{\"request_id_randomization\":true}},\"observes\":[\"cache_reset\"]"
                    ),
                );
            }
            "alias" => {
                let external = if word(2).is_empty() { "null".to_owned() } else { quoted(word(2)) };
                self.raw("alias", &format!("\"internal\":{},\"external\":{external},{at}", quoted(word(1))));
            }
            "enq" => {
                self.raw(
                    "enqueued",
                    &format!("\"internal\":{},\"structured_output\":true,{at}", quoted(word(1))),
                );
            }
            "sched" => {
                let mut members = String::new();
                for id in list(word(2)) {
                    let comma = if members.is_empty() { "" } else { "," };
                    let _ = write!(
                        members,
                        "{comma}{{\"internal\":{},\"sighting\":\"first\",\"phase\":\"context\",\"scheduled\":8,\"prompt_tokens\":8}}",
                        quoted(id)
                    );
                }
                self.raw(
                    "scheduled",
                    &format!(
                        "\"iteration\":{},{both},\"preempted\":{preempted},\"members\":[{members}]",
                        quoted(word(1))
                    ),
                );
            }
            "compl" => {
                let outcomes: Vec<String> = list(word(2))
                    .into_iter()
                    .map(|id| format!("{{\"internal\":{},\"outcome\":\"kept\",\"retained\":1}}", quoted(id)))
                    .collect();
                self.raw(
                    "completed",
                    &format!("\"iteration\":{},{at},\"members\":[{}]", quoted(word(1)), outcomes.join(",")),
                );
            }
            "term" => {
                self.raw(
                    "terminal",
                    &format!(
                        "\"internal\":{},\"status\":\"FINISHED_STOPPED\",\"finish_reason\":\"stop\",\"output_tokens\":1,{at}",
                        quoted(word(1))
                    ),
                );
            }
            reset @ ("reset" | "reset-") => {
                let preempts = reset == "reset";
                self.raw(
                    "cache_reset",
                    &format!(
                        "\"reset_running_requests\":{preempts},\"reset_connector\":false,\"running\":{},{both},\"succeeded\":true,\"raised\":false",
                        quoted_list(word(1))
                    ),
                );
            }
            "pause" => {
                self.raw("pause", &format!("\"from\":\"UNPAUSED\",\"to\":\"PAUSED_NEW\",{at}"));
            }
            "hb" => {
                self.raw("heartbeat", &format!("\"dropped\":{{}},\"errors\":0,\"capped\":false,{at}"));
            }
            "bye" => {
                self.raw("goodbye", &at);
            }
            other => panic!("no record {other:?}"),
        }
    }

    /// The epoch of the first `count` records.
    pub(crate) fn epoch_of(&self, count: usize) -> Epoch {
        let mut parser = SegmentParser::new("000000.jsonl", EPOCH);
        for line in &self.lines[..count] {
            parser.push(line.as_bytes());
            parser.push(b"\n");
        }
        let boot_id = if self.end == End::Alive { "b" } else { "other" };
        let options = ReadOptions {
            importer: Importer { host: "h".into(), boot_id: Some(boot_id.into()), monotonic_ns: 200 },
            server_stopped: self.end == End::Gone,
            mark: self.mark,
        };
        let key = if self.has_key { SideFile::Bytes(vec![0x6b; 32]) } else { SideFile::Missing };
        let parts = EpochParts {
            host_boot: "h-b".into(),
            epoch: EPOCH.into(),
            blocks: vec![parser.finish().into()],
            key,
            ..EpochParts::default()
        };
        assemble(parts, &options)
    }

    pub(crate) fn epoch(&self) -> Epoch {
        self.epoch_of(self.lines.len())
    }
}

/// Facts of a run that sent the given requests and asks about all times.
pub(crate) fn facts(requests: &[&str]) -> RunFacts {
    let request = |name: &&str| {
        let request = RunRequest {
            request_id: format!("r-{name}").into_bytes(),
            x_request_id: name.as_bytes().to_vec(),
            case_id: Some(b"c1".to_vec()),
            phase: None,
        };
        (request.x_request_id.clone(), request)
    };
    RunFacts {
        run_id: b"run1".to_vec(),
        session_id: b"s1".to_vec(),
        client_clock_domain: Some(b"h/b/unix_epoch_ns".to_vec()),
        requests: requests.iter().map(request).collect(),
        windows: vec![Window { start_ns: i64::MIN, end_ns: i64::MAX }],
        ..RunFacts::default()
    }
}

pub(crate) fn corrected() -> Options {
    Options { rules: Rules::Corrected, ..Options::default() }
}

/// IDs as they are, so that attempts show their keys.
pub(crate) fn raw() -> Options {
    Options { raw_foreign_ids: true, ..Options::default() }
}

/// A reduced log, to be asked about.
pub(crate) struct Reduced {
    pub(crate) epoch: Epoch,
    pub(crate) reduction: Reduction,
}

pub(crate) fn reduced(log: &Log, facts: &RunFacts, options: &Options) -> Reduced {
    let epoch = log.epoch();
    let reduction = reduce(&epoch, facts, options);
    Reduced { epoch, reduction }
}

impl Reduced {
    /// The records as JSON values, in order.
    pub(crate) fn records(&self) -> Vec<serde_json::Value> {
        let mut records = Vec::new();
        self.reduction.each_record(&self.epoch, &mut |record| {
            let text = crate::conform::record_json(record);
            records.push(serde_json::from_str(&text).expect("JSON"));
        });
        records
    }

    pub(crate) fn event_ids(&self) -> Vec<String> {
        let id = |record: &serde_json::Value| record["event_id"].as_str().expect("text").to_owned();
        self.records().iter().map(id).collect()
    }

    pub(crate) fn summary(&self) -> serde_json::Value {
        serde_json::from_str(&self.reduction.summary(&self.epoch).to_json()).expect("JSON")
    }

    /// Finishes: step and whether in it.
    pub(crate) fn finishes(&self) -> Vec<(String, bool)> {
        let records = self.records();
        let finished = records.iter().filter(|record| record["metadata"]["finish"].is_object());
        let finish = |record: &serde_json::Value| {
            let step = record["iteration_ref"]["id"].as_str().expect("text").to_owned();
            (step, record["metadata"]["finish"]["in_step"].as_bool().expect("a flag"))
        };
        finished.map(finish).collect()
    }

    /// Steps as `name state reason final`.
    pub(crate) fn steps(&self) -> Vec<String> {
        let records = self.records();
        let steps = records.iter().filter(|record| record["event_type"] == "infer.iteration");
        let step = |record: &serde_json::Value| {
            let metadata = &record["metadata"];
            let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
            format!(
                "{} {} {} {}",
                text(&record["iteration_ref"]["id"]),
                text(&metadata["state"]),
                text(&metadata["incomplete_reason"]),
                metadata["source_seq_max"]
            )
        };
        steps.map(step).collect()
    }

    pub(crate) fn notes(&self) -> Vec<crate::NoteKind> {
        self.reduction.notes.iter().map(|note| note.kind).collect()
    }
}
