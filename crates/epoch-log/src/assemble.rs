//! From the blocks and side files of one epoch to the [`Epoch`] (`reading.md` §4 O-1).

use crate::block::Block;
use crate::epoch::{Epoch, Key};
use crate::hello::{Hello, Status};
use crate::manifest::EpochName;
use crate::merge;
use crate::problem::{Problem, ProblemKind};
use crate::segment::{SegmentBlock, SegmentParser};
use crate::sequence::SequenceFacts;
use crate::state::{self, Evidence, ReadOptions};
use crate::wire::Damaged;

/// A side file of an epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SideFile {
    /// Not there, or no regular file.
    #[default]
    Missing,
    /// There, but it could not be read: why.
    Unreadable(String),
    /// Its bytes.
    Bytes(Vec<u8>),
}

/// Everything read of one epoch.
#[derive(Debug, Default)]
pub struct EpochParts {
    /// Name of the first-level directory.
    pub host_boot: String,
    /// The epoch's directory name; empty for loose segments, whose records give it.
    pub epoch: String,
    /// In reading order.
    pub blocks: Vec<Block>,
    /// `status.json`.
    pub status: SideFile,
    /// `key`.
    pub key: SideFile,
    /// Problems that belong to no segment and come before all others.
    pub problems: Vec<Problem>,
}

const STATUS: &str = "status.json";
const KEY: &str = "key";
/// Shorter keys are refused (`reading.md` Y-2).
const KEY_BYTES: usize = 16;

fn problem(kind: ProblemKind, file: &str, what: impl Into<Box<str>>) -> Problem {
    Problem { kind, file: file.into(), line: None, what: what.into() }
}

/// Puts an epoch together. Nothing in the parts makes it fail; what is wrong stands in [`Epoch::problems`].
pub fn assemble(mut parts: EpochParts, options: &ReadOptions) -> Epoch {
    if parts.epoch.is_empty() {
        name_loose_segments(&mut parts);
    }
    let mut problems = std::mem::take(&mut parts.problems);
    let mut truncated = false;
    let mut bytes = 0;
    for Block { segment, .. } in &mut parts.blocks {
        problems.append(&mut segment.problems);
        truncated |= segment.truncated;
        bytes += segment.bytes;
    }
    let merged = merge::merge(parts.blocks);
    for file in &merged.damaged {
        problems.push(Problem::unreadable(file, &Damaged.to_string()));
    }
    let status = read_status(parts.status, &mut problems);
    let key = read_key(parts.key, &mut problems);

    let log = merged.tables;
    let row_of = |seqs: &[i64], seq: Option<i64>| seq.and_then(|seq| seqs.binary_search(&seq).ok());
    let hello = row_of(&log.hello.seq, merged.hello_seq)
        .and_then(|row| Hello::parse(log.hello.seq[row], merged.strings.get(log.hello.json.text[row])));
    let goodbye = row_of(&log.goodbye.seq, merged.goodbye_seq);

    let (mut last_seen_wall_ns, mut last_seen_mono_ns) = (None, None);
    let mut see = |wall: Option<i64>, mono: Option<i64>| {
        last_seen_wall_ns = last_seen_wall_ns.max(wall);
        last_seen_mono_ns = last_seen_mono_ns.max(mono);
    };
    for row in 0..log.hello.seq.len() {
        if let Some(hello) = Hello::parse(log.hello.seq[row], merged.strings.get(log.hello.json.text[row])) {
            see(hello.clock.wall_ns, hello.clock.mono_ns);
        }
    }
    for row in 0..log.heartbeat.seq.len() {
        see(log.heartbeat.at.wall.int(row), log.heartbeat.at.mono.int(row));
    }
    for row in 0..log.goodbye.seq.len() {
        see(log.goodbye.at.wall.int(row), log.goodbye.at.mono.int(row));
    }
    if let Some(status) = &status {
        see(status.wall_ns, status.mono_ns);
    }

    let host = hello.as_ref().and_then(|hello| hello.host.as_deref()).unwrap_or(&parts.host_boot);
    let evidence = Evidence {
        goodbye: goodbye.is_some(),
        host,
        boot_id: hello.as_ref().and_then(|hello| hello.boot_id.as_deref()),
        last_seen_mono_ns,
    };
    let state = state::judge(&evidence, options);
    let writer_last = status.as_ref().and_then(|status| status.last_seq);
    Epoch {
        name: EpochName::parse(&parts.epoch).unwrap_or_else(|| EpochName::unnamed(&parts.epoch)),
        host_boot: parts.host_boot,
        first_new: options.mark.map_or(0, |mark| log.seq.partition_point(|&seq| seq <= mark)),
        sequence: SequenceFacts::of(&log.seq, writer_last, options.mark),
        strings: merged.strings,
        log,
        hello,
        goodbye,
        status,
        key,
        truncated,
        last_seen_wall_ns,
        last_seen_mono_ns,
        state,
        problems,
        bytes,
    }
}

/// Loose segments say themselves which epoch they are of: the first one that does names it, and one of another epoch
/// is left out as a whole.
fn name_loose_segments(parts: &mut EpochParts) {
    let names = || parts.blocks.iter().map(|block| &block.segment.epoch);
    let Some(name) = names().find(|epoch| !epoch.is_empty()) else {
        return;
    };
    let name = name.clone();
    for block in &mut parts.blocks {
        let SegmentBlock { file, epoch, bytes, .. } = &block.segment;
        if epoch.is_empty() || *epoch == name {
            continue;
        }
        let what = format!("its epoch is \"{epoch}\", the first segment's is \"{name}\"");
        let problems = vec![problem(ProblemKind::LineWrongEpoch, file, what)];
        *block = SegmentBlock { bytes: *bytes, problems, ..SegmentBlock::unreadable(file, "") }.into();
    }
    parts.epoch = name;
}

fn read_status(file: SideFile, problems: &mut Vec<Problem>) -> Option<Status> {
    let bytes = match file {
        SideFile::Missing => return None,
        SideFile::Unreadable(why) => {
            problems.push(problem(ProblemKind::StatusUnreadable, STATUS, format!("cannot be read: {why}")));
            return None;
        }
        SideFile::Bytes(bytes) => bytes,
    };
    match Status::parse(&bytes) {
        Ok(Some(status)) => Some(status),
        Ok(None) => {
            problems.push(problem(ProblemKind::StatusNotObject, STATUS, "the file is JSON but no object"));
            None
        }
        Err(fault) => {
            problems.push(problem(ProblemKind::StatusInvalidJson, STATUS, fault.to_string()));
            None
        }
    }
}

fn read_key(file: SideFile, problems: &mut Vec<Problem>) -> Option<Key> {
    match file {
        SideFile::Missing => None,
        SideFile::Unreadable(why) => {
            problems.push(problem(ProblemKind::KeyUnreadable, KEY, format!("cannot be read: {why}")));
            None
        }
        SideFile::Bytes(bytes) if bytes.len() < KEY_BYTES => {
            let what = format!("has {} bytes, at least {KEY_BYTES} are needed", bytes.len());
            problems.push(problem(ProblemKind::KeyTooShort, KEY, what));
            None
        }
        SideFile::Bytes(bytes) => Some(Key::new(bytes)),
    }
}

/// Reads the lines of one sealed segment, `000000.jsonl`, as an epoch without side files.
pub fn read_lines(epoch: &str, lines: &[u8]) -> Epoch {
    let mut parser = SegmentParser::new("000000.jsonl", epoch);
    parser.push(lines);
    let parts = EpochParts {
        host_boot: "host-boot".to_owned(),
        epoch: epoch.to_owned(),
        blocks: vec![parser.finish().into()],
        ..EpochParts::default()
    };
    assemble(parts, &ReadOptions::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_segments_name_their_epoch_and_strangers_are_left_out() {
        let segment = |file: &str, epoch: &str, seq: i64| {
            let mut parser = SegmentParser::new(file, "");
            parser.push(
                format!("{{\"format\":\"stormlog.vllm_hook/1\",\"kind\":\"note\",\"epoch\":\"{epoch}\",\"seq\":{seq}}}\n")
                    .as_bytes(),
            );
            parser.finish().into()
        };
        let blocks = vec![
            SegmentParser::new("000000.jsonl", "").finish().into(),
            segment("000001.jsonl", "engine-7-1", 0),
            segment("000002.jsonl", "engine-8-1", 1),
            segment("000003.jsonl", "engine-7-1", 2),
        ];
        let epoch = assemble(EpochParts { blocks, ..EpochParts::default() }, &ReadOptions::default());
        assert_eq!((epoch.name.text.as_str(), epoch.name.pid.as_str()), ("engine-7-1", "7"));
        assert_eq!(epoch.log.seq, [0, 2]);
        let places: Vec<_> = epoch.problems.iter().map(Problem::place).collect();
        assert_eq!(places, ["000002.jsonl"]);
    }
}
