//! A generated epoch: its files, its records, and what the reader makes of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use stepscope_epoch_log::{Epoch, EpochParts, ReadOptions, SegmentParser, SideFile, assemble};
use stepscope_recorder::MemoryFiles;
use stepscope_simulate::{Options, Summary, generate};

pub(crate) const MS: i64 = 1_000_000;

/// A generated epoch.
pub(crate) struct Generated {
    pub(crate) summary: Summary,
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
    pub(crate) epoch: Epoch,
    /// Its complete lines, heartbeats and all.
    pub(crate) records: Vec<Value>,
}

pub(crate) fn preset(name: &str) -> Generated {
    with(name, &Options::default())
}

pub(crate) fn with(name: &str, options: &Options) -> Generated {
    let mut files = MemoryFiles::new();
    let summary = generate(name, options, &mut files).unwrap_or_else(|error| panic!("{name}: {error}"));
    let files: BTreeMap<PathBuf, Vec<u8>> = files.into_files().into_iter().collect();
    let epoch_name = summary.directory.file_name().expect("a name").to_string_lossy().into_owned();
    let (mut blocks, mut records) = (Vec::new(), Vec::new());
    for (path, bytes) in &files {
        let file = path.file_name().expect("a name").to_string_lossy();
        if file.contains(".jsonl") {
            let mut parser = SegmentParser::new(&file, &epoch_name);
            parser.push(bytes);
            blocks.push(parser.finish().into());
            let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let lines = bytes[..complete].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
            records.extend(lines.map(|line| serde_json::from_slice::<Value>(line).expect("a record")));
        }
    }
    let side = |name: &str| {
        files
            .get(&summary.directory.join(name))
            .map_or(SideFile::Missing, |bytes| SideFile::Bytes(bytes.clone()))
    };
    let parts = EpochParts {
        host_boot: "simulated".to_owned(),
        epoch: epoch_name.clone(),
        blocks,
        status: side("status.json"),
        key: side("key"),
        problems: Vec::new(),
    };
    let epoch = assemble(parts, &ReadOptions::default());
    assert!(epoch.problems.is_empty(), "{name}: {:?}", epoch.problems);
    Generated { summary, files, epoch, records }
}

impl Generated {
    pub(crate) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.records.iter().filter(move |record| record["kind"] == kind)
    }

    /// Scheduled and completed records of each step, in order.
    pub(crate) fn steps(&self) -> Vec<(&Value, Option<&Value>)> {
        let completed: BTreeMap<&str, &Value> =
            self.of_kind("completed").map(|record| (text(record, "iteration"), record)).collect();
        self.of_kind("scheduled")
            .map(|step| (step, completed.get(text(step, "iteration")).copied()))
            .collect()
    }

    /// The internal id of the request whose client calls it so.
    pub(crate) fn id(&self, external: &str) -> &str {
        self.of_kind("alias")
            .find(|alias| alias["external"] == external)
            .map_or("", |alias| text(alias, "internal"))
    }

    /// Times between the tokens of a request, ns, ascending.
    pub(crate) fn token_gaps(&self, external: &str) -> Vec<i64> {
        let id = self.id(external);
        let has_token = |record: &&Value| {
            members(record).any(|member| member["internal"] == id && member["retained"].as_i64() > Some(0))
        };
        let times: Vec<i64> =
            self.of_kind("completed").filter(has_token).map(|record| int(record, "mono_ns")).collect();
        let mut gaps: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_unstable();
        gaps
    }

    /// From hand-over to first schedule, ns.
    pub(crate) fn queue_wait(&self, external: &str) -> i64 {
        let id = self.id(external);
        let enqueued = self.of_kind("enqueued").find(|record| record["internal"] == id).expect("enqueued");
        let first =
            self.of_kind("scheduled").find(|step| members(step).any(|member| member["internal"] == id));
        int(first.expect("scheduled"), "start_mono_ns") - int(enqueued, "mono_ns")
    }

    /// From the first record's last stamp to the last's, ns.
    pub(crate) fn length_ns(&self) -> i64 {
        let stamp = |record: &Value| {
            let names = ["end_mono_ns", "mono_ns"];
            names.iter().find_map(|name| record[name].as_i64()).or(record["clock"]["mono_ns"].as_i64())
        };
        let stamps: Vec<i64> = self.records.iter().filter_map(stamp).collect();
        stamps.iter().max().zip(stamps.iter().min()).map_or(0, |(last, first)| last - first)
    }
}

pub(crate) fn text<'v>(record: &'v Value, name: &str) -> &'v str {
    record[name].as_str().unwrap_or_else(|| panic!("{name} of {record}"))
}

pub(crate) fn int(record: &Value, name: &str) -> i64 {
    record[name].as_i64().unwrap_or_else(|| panic!("{name} of {record}"))
}

pub(crate) fn members(record: &Value) -> impl Iterator<Item = &Value> {
    record["members"].as_array().into_iter().flatten()
}

/// Nearest rank.
pub(crate) fn percentile(ascending: &[i64], percent: usize) -> i64 {
    ascending[(ascending.len() * percent).div_ceil(100).max(1) - 1]
}
