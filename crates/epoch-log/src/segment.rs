//! One segment file: bytes in, a block of columns out (`reading.md` §5, §6). Segments know nothing of each other,
//! so workers and threads share the work.

use std::sync::Arc;

use crate::problem::{Problem, ProblemKind};
use crate::record::RecordParser;
use crate::strings::{Interner, Strings};
use crate::tables::Tables;
use crate::wire::{self, Damaged, Reader};

/// What one segment holds, in reading order, doubled `seq`s included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SegmentBlock {
    /// The segment's file name.
    pub file: String,
    /// The epoch its records name: the one asked for, or the first good line's; empty without any good line.
    pub epoch: String,
    /// Texts of the tables.
    pub strings: Strings,
    /// The records.
    pub tables: Tables,
    /// What was wrong, by line.
    pub problems: Vec<Problem>,
    /// An open segment ended in an incomplete line (`reading.md` L-2).
    pub truncated: bool,
    /// Bytes read.
    pub bytes: u64,
}

/// Reads a segment in chunks of any size.
pub struct SegmentParser {
    file: Arc<str>,
    open: bool,
    epoch: String,
    parser: RecordParser,
    texts: Interner,
    tables: Tables,
    problems: Vec<Problem>,
    carry: Vec<u8>,
    line: u64,
    bytes: u64,
}

impl SegmentParser {
    /// A parser of the file `file` (its bare name; `.part` marks an open segment) in the directory of the epoch
    /// `epoch`. An empty `epoch` takes the name from the first good line, for loose segments.
    pub fn new(file: &str, epoch: &str) -> Self {
        Self {
            file: file.into(),
            open: file.ends_with(".part"),
            epoch: epoch.to_owned(),
            parser: RecordParser::new(),
            texts: Interner::new(),
            tables: Tables::default(),
            problems: Vec::new(),
            carry: Vec::new(),
            line: 0,
            bytes: 0,
        }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        let mut rest = chunk;
        if !self.carry.is_empty() {
            let Some(end) = memchr::memchr(b'\n', rest) else {
                self.carry.extend_from_slice(rest);
                return;
            };
            let mut line = std::mem::take(&mut self.carry);
            line.extend_from_slice(&rest[..end]);
            self.take_line(&line);
            line.clear();
            self.carry = line;
            rest = &rest[end + 1..];
        }
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.take_line(&rest[..end]);
            rest = &rest[end + 1..];
        }
        self.carry.extend_from_slice(rest);
    }

    fn take_line(&mut self, line: &[u8]) {
        self.line += 1;
        // reading.md L-6
        if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C)) {
            return;
        }
        let taken = self.parser.line(line, &mut self.epoch, &mut self.texts, &mut self.tables);
        if let Err(rejected) = taken {
            self.problems.push(Problem {
                kind: rejected.kind,
                file: self.file.clone(),
                line: Some(self.line),
                what: rejected.what.into(),
            });
        }
        for (kind, what) in self.parser.remarks.drain(..) {
            self.problems.push(Problem {
                kind,
                file: self.file.clone(),
                line: Some(self.line),
                what: what.into(),
            });
        }
    }

    /// The file has ended. A tail after the last line feed is not read (`reading.md` L-2, L-3).
    pub fn finish(mut self) -> SegmentBlock {
        let tail = !self.carry.is_empty();
        if tail && !self.open {
            let torn = Problem {
                kind: ProblemKind::SegmentTorn,
                file: self.file.clone(),
                line: None,
                what: "the sealed segment ends inside a line".into(),
            };
            // What concerns the whole file stands before what concerns its lines.
            self.problems.insert(0, torn);
        }
        SegmentBlock {
            file: self.file.to_string(),
            epoch: self.epoch,
            strings: self.texts.finish(),
            tables: self.tables,
            problems: self.problems,
            truncated: tail && self.open,
            bytes: self.bytes,
        }
    }
}

impl SegmentBlock {
    /// A segment that could not be read (`reading.md` G-5): why, in the system's words.
    pub fn unreadable(file: &str, why: &str) -> Self {
        Self {
            file: file.to_owned(),
            strings: Interner::new().finish(),
            problems: vec![Problem::unreadable(file, why)],
            ..Self::default()
        }
    }

    /// Writes the block so that [`SegmentBlock::decode`] reads it in another instance of the program.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.tables.heap_bytes() + self.strings.heap_bytes() + 1024);
        let text = |out: &mut Vec<u8>, text: &str| wire::put_slice(out, text.as_bytes());
        text(&mut out, &self.file);
        text(&mut out, &self.epoch);
        wire::put_slice(&mut out, &self.strings.bytes);
        wire::put_slice(&mut out, &self.strings.ends);
        self.tables.encode(&mut out);
        wire::put_len(&mut out, self.problems.len());
        for problem in &self.problems {
            out.push(problem.kind as u8);
            wire::put_len(&mut out, problem.line.unwrap_or(0) as usize);
            text(&mut out, &problem.what);
        }
        out.push(u8::from(self.truncated));
        wire::put_len(&mut out, self.bytes as usize);
        out
    }

    /// Reads what [`SegmentBlock::encode`] wrote.
    ///
    /// # Errors
    /// [`Damaged`] when the bytes are not such.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damaged> {
        let mut input = Reader::new(bytes);
        let text = |input: &mut Reader<'_>| String::from_utf8(input.slice()?).map_err(|_| Damaged);
        let file = text(&mut input)?;
        let epoch = text(&mut input)?;
        let strings = Strings { bytes: input.slice()?, ends: input.slice()? };
        let tables = Tables::decode(&mut input)?;
        let shared: Arc<str> = file.as_str().into();
        let mut problems = Vec::new();
        for _ in 0..input.len()? {
            let kind = input.take(1)?[0];
            let kind = *ProblemKind::ALL.get(usize::from(kind)).ok_or(Damaged)?;
            let line = match input.len()? {
                0 => None,
                line => Some(line as u64),
            };
            problems.push(Problem { kind, file: shared.clone(), line, what: text(&mut input)?.into() });
        }
        let truncated = input.take(1)?[0] == 1;
        let bytes = input.len()? as u64;
        if !input.is_at_end() {
            return Err(Damaged);
        }
        Ok(Self { file, epoch, strings, tables, problems, truncated, bytes })
    }
}
