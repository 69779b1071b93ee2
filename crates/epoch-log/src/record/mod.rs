//! One line of a segment becomes one row of a table (`raw-log.md` §6, `reading.md` §6.3). The line is passed over
//! once: fields land in slots by name, whatever their order or type, and go to their columns when the line is
//! known to be good.

mod cells;
mod fields;
mod line;
mod rows;
mod slots;

use cells::Row;
use fields::Top;
use line::LineParts;
use slots::Slot;

use crate::problem::ProblemKind;
use crate::strings::Interner;
use crate::tables::{KINDS, Kind, Tables};

pub(crate) use cells::Remark;

/// Why a line is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejected {
    pub(crate) kind: ProblemKind,
    pub(crate) what: String,
}

/// The format this crate reads.
pub const FORMAT: &str = "stormlog.vllm_hook/1";

/// Takes lines apart, one after the other.
pub(crate) struct RecordParser {
    parts: LineParts,
    buffer: Vec<u8>,
    pub(crate) remarks: Vec<Remark>,
}

impl RecordParser {
    pub(crate) fn new() -> Self {
        Self { parts: LineParts::new(), buffer: Vec::new(), remarks: Vec::new() }
    }

    /// Adds a line's record to `tables`. `epoch` is the directory's name; when it is empty, the first good line
    /// names it.
    pub(crate) fn line(
        &mut self,
        line: &[u8],
        epoch: &mut String,
        texts: &mut Interner,
        tables: &mut Tables,
    ) -> Result<(), Rejected> {
        self.parts.take_apart(line)?;
        let mut row = Row { line, texts, buffer: &mut self.buffer, remarks: &mut self.remarks };
        let top = &self.parts.top;
        let at = |field: Top| top[field as usize];

        if row.string(at(Top::FORMAT)) != Some(FORMAT.as_bytes()) {
            return Err(Rejected {
                kind: ProblemKind::LineWrongFormat,
                what: format!("format is {}, expected \"{FORMAT}\"", row.found(at(Top::FORMAT))),
            });
        }
        let named = row.string(at(Top::EPOCH)).map(<[u8]>::to_vec);
        if !epoch.is_empty() && named.as_deref() != Some(epoch.as_bytes()) {
            return Err(Rejected {
                kind: ProblemKind::LineWrongEpoch,
                what: format!("epoch is {}, expected \"{epoch}\"", row.found(at(Top::EPOCH))),
            });
        }
        let seq = match at(Top::SEQ) {
            Slot::Int(seq) if seq >= 0 => seq,
            other => {
                let what =
                    format!("seq is {}, a non-negative integer of 64 bits is required", row.found(other));
                return Err(Rejected { kind: ProblemKind::LineBadSeq, what });
            }
        };
        let Some(kind) = row.string(at(Top::KIND)).filter(|kind| !kind.is_empty()) else {
            let what = format!("kind is {}, a non-empty string is required", row.found(at(Top::KIND)));
            return Err(Rejected { kind: ProblemKind::LineBadKind, what });
        };
        let kind = kind_named(kind);
        if epoch.is_empty()
            && let Some(name) = named.and_then(|name| String::from_utf8(name).ok())
        {
            *epoch = name;
        }
        row.add(seq, kind, &self.parts, tables);
        Ok(())
    }
}

fn kind_named(name: &[u8]) -> Kind {
    Kind::ALL[..KINDS - 1]
        .iter()
        .copied()
        .find(|kind| kind.name().as_bytes() == name)
        .unwrap_or(Kind::Unknown)
}
