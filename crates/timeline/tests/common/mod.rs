//! Small logs made by hand, and where the fixtures are.

#![allow(dead_code)]

use std::path::{Path, PathBuf};

use stepscope_epoch_log::{Epoch, EpochParts, ReadOptions, SegmentParser, SideFile, assemble};
use stepscope_timeline::Timeline;

/// One millisecond, ns.
pub(crate) const MS: i64 = 1_000_000;
/// The name of the epochs made here.
pub(crate) const EPOCH: &str = "engine-812-500";
/// Monotonic and wall clock of the first stamp, ns.
const MONO: i64 = 1_000_000_000_000;
const WALL: i64 = 1_796_066_465_000_000_000;

/// What a member is scheduled for, and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) id: &'static str,
    pub(crate) before: i64,
    pub(crate) prompt: i64,
    pub(crate) scheduled: i64,
    pub(crate) first: bool,
    pub(crate) retained: i64,
    pub(crate) finish: Option<&'static str>,
    pub(crate) kept: bool,
}

/// A member that decodes one token of context position `before`.
pub(crate) fn decode(id: &'static str, before: i64) -> Member {
    Member { id, before, prompt: 10, scheduled: 1, first: false, retained: 1, finish: None, kept: true }
}

/// A member that is in its prompt of `prompt` tokens.
pub(crate) fn prefill(id: &'static str, before: i64, scheduled: i64, prompt: i64) -> Member {
    let retained = i64::from(before + scheduled >= prompt);
    Member { id, before, prompt, scheduled, first: before == 0, retained, finish: None, kept: true }
}

impl Member {
    pub(crate) fn finishes(mut self, reason: &'static str) -> Self {
        self.finish = Some(reason);
        self
    }

    fn scheduled_json(&self) -> String {
        let inside = (self.prompt - self.before).clamp(0, self.scheduled);
        format!(
            concat!(
                r#"{{"internal":"{}","sighting":"{}","phase":"{}","scheduled":{},"computed_before":{},"#,
                r#""prompt_tokens":{},"prefill_scheduled":{},"past_prompt_scheduled":{},"drafts_scheduled":0,"#,
                r#""cached_at_admission":{},"recompute":false,"output_before":0,"resumable":false}}"#
            ),
            self.id,
            if self.first { "first" } else { "repeat" },
            if inside > 0 { "context" } else { "generation" },
            self.scheduled,
            self.before,
            self.prompt,
            inside,
            self.scheduled - inside,
            if self.first { "0" } else { "null" },
        )
    }

    fn outcome_json(&self) -> String {
        if !self.kept {
            return format!(
                r#"{{"internal":"{}","outcome":"discarded_finished","stale":false,"sampled":1,"accepted_drafts":0,"retained":null,"finish_reason":null,"computed_after":null}}"#,
                self.id
            );
        }
        let finish = self.finish.map_or_else(|| "null".to_owned(), |reason| format!("\"{reason}\""));
        format!(
            r#"{{"internal":"{}","outcome":"kept","stale":false,"sampled":1,"accepted_drafts":0,"retained":{},"finish_reason":{finish},"computed_after":{}}}"#,
            self.id,
            self.retained,
            self.before + self.scheduled
        )
    }
}

/// A log in the making. Times are ns from the first stamp on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    lines: String,
    pub(crate) seq: i64,
    pub(crate) status: Option<String>,
}

impl Log {
    /// A log that begins with a hello which observes all optional kinds.
    pub(crate) fn new() -> Self {
        Self::observing(r#"["cache_reset","enqueued","pause"]"#)
    }

    pub(crate) fn observing(observes: &str) -> Self {
        let mut log = Self::default();
        log.put(
            "hello",
            &format!(
                concat!(
                    r#""role":"engine","host":"node-7","boot_id":"b","pid":812,"start_ns":500,"#,
                    r#""vllm_version":"0.30.0","enabled":true,"refused":null,"producer":"vllm:node-7:b:812:500","#,
                    r#""observes":{},"config":{{"max_num_seqs":4,"max_num_batched_tokens":2048,"executor":"mp","#,
                    r#""tp":1,"speculative":null,"profiler":{{"max_iterations":0}},"new_setting":true}},"#,
                    r#""clock":{{"wall_ns":{},"mono_ns":{},"wall_after_ns":{},"gap_ns":1}}"#
                ),
                observes,
                WALL,
                MONO,
                WALL + 1
            ),
        );
        log
    }

    /// A line of any kind with its own fields.
    pub(crate) fn put(&mut self, kind: &str, own: &str) -> &mut Self {
        let seq = self.seq;
        self.lines += &format!(
            "{{\"format\":\"stormlog.vllm_hook/1\",\"kind\":\"{kind}\",\"epoch\":\"{EPOCH}\",\"seq\":{seq},{own}}}\n"
        );
        self.seq += 1;
        self
    }

    fn stamp(prefix: &str, t: i64) -> String {
        let (wall, mono) = (WALL + t, MONO + t);
        format!(r#""{prefix}wall_ns":{wall},"{prefix}mono_ns":{mono},"{prefix}wall_after_ns":{}"#, wall + 1)
    }

    pub(crate) fn alias(&mut self, t: i64, id: &str, external: &str) -> &mut Self {
        self.put("alias", &format!(r#""internal":"{id}","external":"{external}",{}"#, Self::stamp("", t)))
    }

    pub(crate) fn enqueued(&mut self, t: i64, id: &str) -> &mut Self {
        let own = format!(
            r#""internal":"{id}","structured_output":false,"resumable":false,{}"#,
            Self::stamp("", t)
        );
        self.put("enqueued", &own)
    }

    pub(crate) fn scheduled(
        &mut self,
        start: i64,
        end: i64,
        name: i64,
        members: &[Member],
        preempted: &[&str],
    ) -> &mut Self {
        let total: i64 = members.iter().map(|member| member.scheduled).sum();
        let list: Vec<String> = members.iter().map(Member::scheduled_json).collect();
        let preempted: Vec<String> = preempted.iter().map(|id| format!("\"{id}\"")).collect();
        let own = format!(
            r#""iteration":"{name}",{},{},"total_tokens":{total},"zero_token":{},"preempted":[{}],"pause_state":"UNPAUSED","members":[{}]"#,
            Self::stamp("start_", start),
            Self::stamp("end_", end),
            total == 0,
            preempted.join(","),
            list.join(",")
        );
        self.put("scheduled", &own)
    }

    pub(crate) fn completed(&mut self, t: i64, name: i64, members: &[Member]) -> &mut Self {
        let list: Vec<String> = members.iter().map(Member::outcome_json).collect();
        let own = format!(r#""iteration":"{name}",{},"members":[{}]"#, Self::stamp("", t), list.join(","));
        self.put("completed", &own)
    }

    /// A whole step: scheduled from `start` for 1 ms, completed at `done`.
    pub(crate) fn step(&mut self, start: i64, done: i64, name: i64, members: &[Member]) -> &mut Self {
        self.scheduled(start, start + MS, name, members, &[]).completed(done, name, members)
    }

    pub(crate) fn terminal(&mut self, t: i64, id: &str, reason: &str) -> &mut Self {
        let own = format!(
            r#""internal":"{id}","status":null,"finish_reason":"{reason}","output_tokens":1,{}"#,
            Self::stamp("", t)
        );
        self.put("terminal", &own)
    }

    pub(crate) fn pause(&mut self, t: i64, to: &str) -> &mut Self {
        self.put("pause", &format!(r#""from":null,"to":"{to}",{}"#, Self::stamp("", t)))
    }

    pub(crate) fn cache_reset(&mut self, start: i64, end: i64, running: &[&str]) -> &mut Self {
        let running: Vec<String> = running.iter().map(|id| format!("\"{id}\"")).collect();
        let own = format!(
            r#""reset_running_requests":true,"reset_connector":false,"running":[{}],{},"succeeded":true,"raised":false,{}"#,
            running.join(","),
            Self::stamp("start_", start),
            Self::stamp("end_", end)
        );
        self.put("cache_reset", &own)
    }

    pub(crate) fn heartbeat(&mut self, t: i64) -> &mut Self {
        self.heartbeat_with(t, "{}")
    }

    pub(crate) fn heartbeat_with(&mut self, t: i64, dropped: &str) -> &mut Self {
        let own = format!(
            r#"{},"last_seq":{},"dropped":{dropped},"errors":0,"bytes":0,"capped":false,"queued":0,"pending":0,"reserved":0"#,
            Self::stamp("", t),
            self.seq - 1
        );
        self.put("heartbeat", &own)
    }

    pub(crate) fn goodbye(&mut self, t: i64) -> &mut Self {
        let own = format!(r#"{},"last_seq":{}"#, Self::stamp("", t), self.seq);
        self.put("goodbye", &own)
    }

    /// A `status.json` of a time.
    pub(crate) fn status(&mut self, t: i64, dropped: &str, capped: bool) -> &mut Self {
        self.status = Some(format!(
            r#"{{{},"last_seq":{},"dropped":{dropped},"errors":0,"bytes":0,"capped":{capped},"queued":0,"pending":0,"reserved":0}}"#,
            Self::stamp("", t),
            self.seq - 1
        ));
        self
    }

    /// Leaves out a number.
    pub(crate) fn lose(&mut self) -> &mut Self {
        self.seq += 1;
        self
    }

    pub(crate) fn epoch(&self) -> Epoch {
        let mut parser = SegmentParser::new("000000.jsonl", EPOCH);
        parser.push(self.lines.as_bytes());
        let parts = EpochParts {
            host_boot: "node-7-b".to_owned(),
            epoch: EPOCH.to_owned(),
            blocks: vec![parser.finish().into()],
            status: self
                .status
                .as_ref()
                .map_or(SideFile::Missing, |text| SideFile::Bytes(text.clone().into_bytes())),
            ..EpochParts::default()
        };
        assemble(parts, &ReadOptions::default())
    }

    pub(crate) fn timeline(&self) -> Timeline {
        Timeline::new(self.epoch())
    }
}

/// A folder of the unpacked fixtures.
pub(crate) fn fixture(path: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/unpacked").join(path);
    assert!(folder.is_dir(), "{} is missing: npm run fixtures unpacks it", folder.display());
    folder
}

/// All epochs of a hook directory.
pub(crate) fn epochs_of(root: &Path) -> Vec<Epoch> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let list = |folder: &Path| {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("it can be listed")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        paths
    };
    let mut epochs = Vec::new();
    for host in list(root).into_iter().filter(|path| path.is_dir()) {
        for folder in list(&host).into_iter().filter(|path| path.is_dir()) {
            let epoch = name(&folder);
            let mut parts =
                EpochParts { host_boot: name(&host), epoch: epoch.clone(), ..EpochParts::default() };
            for path in list(&folder).into_iter().filter(|path| path.is_file()) {
                let bytes = std::fs::read(&path).expect("it can be read");
                let file = name(&path);
                if file == "status.json" {
                    parts.status = SideFile::Bytes(bytes);
                } else if file.contains(".jsonl") {
                    let mut parser = SegmentParser::new(&file, &epoch);
                    parser.push(&bytes);
                    parts.blocks.push(parser.finish().into());
                }
            }
            epochs.push(assemble(parts, &ReadOptions::default()));
        }
    }
    epochs
}
