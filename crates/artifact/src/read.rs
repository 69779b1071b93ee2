//! Going through all rows of a file, strictly or tolerantly (`artifact.md` §11).

use crate::context::Contexts;
use crate::line::{LineEnds, Lines, is_blank};
use crate::refusal::Refusal;
use crate::row::{Row, RowFault};

/// A row and where it stands.
#[derive(Debug)]
pub struct Placed<'r, 'a> {
    /// Number of the line, from 0, blank lines counted.
    pub line: usize,
    /// The line without its end.
    pub text: &'a [u8],
    /// What it says.
    pub row: &'r Row<'a>,
    /// The contexts up to here.
    pub contexts: &'r Contexts,
}

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {}: {fault}", line + 1)]
pub struct LineProblem {
    /// Number of the line, from 0, blank lines counted.
    pub line: usize,
    /// Why.
    pub fault: LineFault,
}

/// Why a line could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// It is not UTF-8.
    #[error("invalid UTF-8")]
    Utf8,
    /// It begins with a byte-order mark.
    #[error("a byte-order mark")]
    ByteOrderMark,
    /// It is no row.
    #[error(transparent)]
    Row(#[from] RowFault),
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Calls `visit` for every row, as an import reads: the first line that cannot be used ends it.
///
/// # Errors
/// That line.
pub fn read_strict<'a>(
    bytes: &'a [u8],
    mut visit: impl FnMut(&Placed<'_, 'a>),
) -> Result<Contexts, LineProblem> {
    if let Err(error) = std::str::from_utf8(bytes) {
        let line = Lines::new(&bytes[..error.valid_up_to()], LineEnds::Any).count();
        // The line that holds the bad byte has begun, unless the one before has just ended.
        let begun = !matches!(bytes[..error.valid_up_to()].last(), None | Some(b'\n' | b'\r'));
        return Err(LineProblem { line: line - usize::from(begun), fault: LineFault::Utf8 });
    }
    let mut contexts = Contexts::default();
    for (line, text) in Lines::new(bytes, LineEnds::Any).enumerate() {
        if is_blank(text) {
            continue;
        }
        let row = understand(text, &mut contexts).map_err(|fault| LineProblem { line, fault })?;
        visit(&Placed { line, text, row: &row, contexts: &contexts });
    }
    Ok(contexts)
}

/// Calls `visit` for every row, as a diagnosis reads: a line that cannot be used is passed over and named.
pub fn read_tolerant<'a>(
    bytes: &'a [u8],
    mut visit: impl FnMut(&Placed<'_, 'a>),
) -> (Contexts, Vec<LineProblem>) {
    let mut contexts = Contexts::default();
    let mut problems = Vec::new();
    for (line, text) in Lines::new(bytes, LineEnds::LineFeed).enumerate() {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if is_blank(text) {
            continue;
        }
        let understood = match std::str::from_utf8(text) {
            Ok(_) => understand(text, &mut contexts),
            Err(_) => Err(LineFault::Utf8),
        };
        match understood {
            Ok(row) => visit(&Placed { line, text, row: &row, contexts: &contexts }),
            Err(fault) => problems.push(LineProblem { line, fault }),
        }
    }
    (contexts, problems)
}

pub(crate) fn understand<'a>(text: &'a [u8], contexts: &mut Contexts) -> Result<Row<'a>, LineFault> {
    if text.starts_with(BYTE_ORDER_MARK) {
        return Err(LineFault::ByteOrderMark);
    }
    Ok(Row::parse(text, contexts)?)
}

impl From<LineProblem> for Refusal {
    fn from(problem: LineProblem) -> Self {
        Refusal::Line(problem)
    }
}
