//! What was wrong with the bytes, where, and what was done instead.

/// The kind of a problem. The first group are the reader's errors (`reading.md` §7), which the epoch summary
/// lists; the second are values that were taken as not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// The line is not one JSON value of the format's dialect.
    LineInvalidJson,
    /// The line is JSON but no object.
    LineNotObject,
    /// `format` is another one.
    LineWrongFormat,
    /// `epoch` is not the directory's name.
    LineWrongEpoch,
    /// `seq` is no integer of 0 or more that fits 64 bits.
    LineBadSeq,
    /// `kind` is no non-empty string.
    LineBadKind,
    /// The file could not be read.
    SegmentUnreadable,
    /// The file was packed, and its packing ends too soon.
    SegmentCutShort,
    /// An open segment was sealed again and again while it was read.
    SegmentSealedWhileRead,
    /// A sealed file ends inside a line.
    SegmentTorn,
    /// `status.json` could not be read.
    StatusUnreadable,
    /// `status.json` is not JSON.
    StatusInvalidJson,
    /// `status.json` is no object.
    StatusNotObject,
    /// `key` could not be read.
    KeyUnreadable,
    /// `key` has fewer than 16 bytes.
    KeyTooShort,
    /// The epoch's directory could not be listed.
    DirectoryUnreadable,
    /// An integer that does not fit 64 bits.
    NumberTooLarge,
    /// An entry of `members` that is no object.
    MemberNotObject,
    /// A field that should hold an array holds something else.
    NotAnArray,
}

impl ProblemKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [ProblemKind; 19] = [
        Self::LineInvalidJson,
        Self::LineNotObject,
        Self::LineWrongFormat,
        Self::LineWrongEpoch,
        Self::LineBadSeq,
        Self::LineBadKind,
        Self::SegmentUnreadable,
        Self::SegmentCutShort,
        Self::SegmentSealedWhileRead,
        Self::SegmentTorn,
        Self::StatusUnreadable,
        Self::StatusInvalidJson,
        Self::StatusNotObject,
        Self::KeyUnreadable,
        Self::KeyTooShort,
        Self::DirectoryUnreadable,
        Self::NumberTooLarge,
        Self::MemberNotObject,
        Self::NotAnArray,
    ];

    /// Whether the epoch summary lists it among `errors` (`reading.md` §7).
    pub fn is_reader_error(self) -> bool {
        !matches!(self, Self::NumberTooLarge | Self::MemberNotObject | Self::NotAnArray)
    }

    /// What was done instead, in words.
    pub fn instead(self) -> &'static str {
        match self {
            Self::LineInvalidJson
            | Self::LineNotObject
            | Self::LineWrongFormat
            | Self::LineWrongEpoch
            | Self::LineBadSeq
            | Self::LineBadKind => "the line was left out",
            Self::SegmentUnreadable => "the file was left out; reading went on with the next",
            Self::SegmentCutShort => "what came before was read",
            Self::SegmentSealedWhileRead => "what had been read of it was kept",
            Self::SegmentTorn => "the incomplete last line was left out",
            Self::StatusUnreadable | Self::StatusInvalidJson | Self::StatusNotObject => {
                "the epoch is judged without status.json"
            }
            Self::KeyUnreadable | Self::KeyTooShort => "other clients' request IDs cannot get pseudonyms",
            Self::DirectoryUnreadable => "the epoch was left out",
            Self::NumberTooLarge => "the value counts as not known",
            Self::MemberNotObject => "the entry was left out",
            Self::NotAnArray => "the list counts as empty",
        }
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub kind: ProblemKind,
    /// The bare file name.
    pub file: std::sync::Arc<str>,
    /// Line in the file, from 1; `None` when it concerns the whole file.
    pub line: Option<u64>,
    /// What was found, in words.
    pub what: Box<str>,
}

impl Problem {
    /// A segment that could not be read (`reading.md` G-5): why, in the system's words.
    pub fn unreadable(file: &str, why: &str) -> Self {
        let what = format!("cannot be read: {why}").into();
        Self { kind: ProblemKind::SegmentUnreadable, file: file.into(), line: None, what }
    }

    /// A packed segment that could not be read to its end: why, in the system's words.
    pub fn cut_short(file: &str, why: &str) -> Self {
        let what = format!("cannot be read to its end: {why}").into();
        Self { kind: ProblemKind::SegmentCutShort, file: file.into(), line: None, what }
    }

    /// `<file>` or `<file>:<line>` (`reading.md` E-1).
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.to_string(),
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place(), self.what)
    }
}
