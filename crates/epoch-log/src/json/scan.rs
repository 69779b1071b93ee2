//! A pull scanner over one JSON value in the dialect of `reading.md` §6.2. It checks everything it passes over,
//! builds nothing and never recurses.

use super::number::{self, Digits};
use crate::words::u64_of;

/// Why a text is not one value of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not valid JSON: {} at column {}", self.what, self.at + 1)
    }
}

/// A string as it stands in the text, without its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Str<'a> {
    /// Its characters stand for themselves.
    Plain(&'a [u8]),
    /// It holds escapes.
    Escaped(&'a [u8]),
}

impl<'a> Str<'a> {
    /// The string's WTF-8 bytes; `buffer` holds them when escapes had to be resolved.
    pub fn bytes<'b>(self, buffer: &'b mut Vec<u8>) -> &'b [u8]
    where
        'a: 'b,
    {
        match self {
            Str::Plain(bytes) => bytes,
            Str::Escaped(raw) => {
                buffer.clear();
                unescape(raw, buffer);
                buffer
            }
        }
    }
}

/// A value, or the start of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An integer that fits.
    Int(i64),
    /// An integer that does not fit 64 bits: its text.
    Big(&'a [u8]),
    /// A number with a fraction or an exponent, or one of `NaN`, `Infinity`, `-Infinity`: its text.
    Float(&'a [u8]),
    /// A string.
    String(Str<'a>),
    /// `[` was passed; items follow.
    Array,
    /// `{` was passed; names and values follow.
    Object,
}

/// Deeper nesting is refused (`reading.md` J-4 asks for 900).
pub(super) const MAX_DEPTH: usize = 1000;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A text to be compared a word at a time.
#[derive(Debug)]
pub(crate) struct Literal {
    text: &'static str,
    words: [(u64, u64); Self::WORDS],
    used: usize,
}

impl Literal {
    const WORDS: usize = 4;

    /// A text of at most 32 bytes.
    pub(crate) const fn new(text: &'static str) -> Self {
        assert!(text.len() <= 8 * Self::WORDS, "a longer literal needs more words");
        let bytes = text.as_bytes();
        let mut words = [(0, 0); Self::WORDS];
        let mut at = 0;
        while at < bytes.len() {
            words[at / 8].0 |= (bytes[at] as u64) << (8 * (at % 8));
            words[at / 8].1 |= 0xFF << (8 * (at % 8));
            at += 1;
        }
        Self { text, words, used: bytes.len().div_ceil(8) }
    }

    /// The text.
    pub(crate) const fn text(&self) -> &'static str {
        self.text
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Marks the bytes of a word that end a plain stretch of a string: quote, backslash, control, non-ASCII.
#[inline]
fn special(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let slash = word ^ (ONES * b'\\' as u64);
    let zero = |x: u64| x.wrapping_sub(ONES) & !x;
    (zero(quote) | zero(slash) | (word.wrapping_sub(ONES * 0x20) & !word) | word) & HIGHS
}

impl<'a> Scanner<'a> {
    /// A scanner at the start of a text; one byte-order mark there is passed over.
    pub fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Self { bytes, at }
    }

    /// A scanner that takes a byte-order mark for what it is (`reading.md` T-2).
    pub fn strict(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Byte offset.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The text between two offsets.
    pub fn between(&self, start: usize, end: usize) -> &'a [u8] {
        &self.bytes[start..end]
    }

    fn fault<T>(&self, what: &'static str) -> Result<T, Fault> {
        Err(Fault { at: self.at, what })
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Passes over white space. A line holds no line feed, so one in a side file is as good as a space.
    #[inline]
    pub fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes over the value that begins here, or into the array or object.
    ///
    /// # Errors
    /// [`Fault`] when no value of the dialect begins here.
    #[inline]
    pub fn value(&mut self) -> Result<Scalar<'a>, Fault> {
        self.space();
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string().map(Scalar::String)
            }
            Some(b'0'..=b'9' | b'-') => self.number(),
            Some(b'{') => {
                self.at += 1;
                Ok(Scalar::Object)
            }
            Some(b'[') => {
                self.at += 1;
                Ok(Scalar::Array)
            }
            Some(b't') => self.word(b"true", Scalar::Bool(true)),
            Some(b'f') => self.word(b"false", Scalar::Bool(false)),
            Some(b'n') => self.word(b"null", Scalar::Null),
            Some(b'N') => self.word(b"NaN", Scalar::Float(b"NaN")),
            Some(b'I') => self.word(b"Infinity", Scalar::Float(b"Infinity")),
            Some(_) => self.fault("expected a value"),
            None => self.fault("the text ends where a value is expected"),
        }
    }

    fn word(&mut self, word: &'static [u8], value: Scalar<'a>) -> Result<Scalar<'a>, Fault> {
        if !self.bytes[self.at..].starts_with(word) {
            return self.fault("expected a value");
        }
        self.at += word.len();
        Ok(value)
    }

    #[inline]
    fn number(&mut self) -> Result<Scalar<'a>, Fault> {
        let rest = &self.bytes[self.at..];
        match number::scan(rest) {
            Digits::Int { value, len } => {
                self.at += len;
                Ok(Scalar::Int(value))
            }
            Digits::Big { len } => {
                self.at += len;
                Ok(Scalar::Big(&rest[..len]))
            }
            Digits::Float { len } => {
                self.at += len;
                Ok(Scalar::Float(&rest[..len]))
            }
            Digits::TooLong => self.fault("an integer of more than 4300 digits"),
            Digits::Not => {
                if rest.starts_with(b"-Infinity") {
                    self.at += 9;
                    return Ok(Scalar::Float(b"-Infinity"));
                }
                self.fault("a sign without a number")
            }
        }
    }

    /// The rest of a string whose opening quote was passed.
    #[inline]
    fn string(&mut self) -> Result<Str<'a>, Fault> {
        let start = self.at;
        let mut escaped = false;
        loop {
            while let Some(chunk) = self.bytes.get(self.at..self.at + 8) {
                let marks = special(u64_of(chunk));
                if marks == 0 {
                    self.at += 8;
                    continue;
                }
                self.at += marks.trailing_zeros() as usize / 8;
                break;
            }
            match self.peek() {
                Some(b'"') => {
                    let raw = &self.bytes[start..self.at];
                    self.at += 1;
                    return Ok(if escaped { Str::Escaped(raw) } else { Str::Plain(raw) });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(0..=0x1f) => return self.fault("a control character in a string"),
                Some(0x80..) => self.multibyte()?,
                Some(_) => self.at += 1,
                None => return self.fault("the text ends inside a string"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => match self.bytes.get(self.at + 2..self.at + 6) {
                Some(hex) if hex.iter().all(u8::is_ascii_hexdigit) => self.at += 6,
                _ => return self.fault("\\u needs four hexadecimal digits"),
            },
            _ => return self.fault("an unknown escape"),
        }
        Ok(())
    }

    /// One character beyond ASCII; a surrogate in three bytes passes, all else as in UTF-8.
    fn multibyte(&mut self) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        let tail = |at: usize| rest.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        let second = rest.get(1).copied().unwrap_or(0);
        let len = match rest[0] {
            0xC2..=0xDF if tail(1) => 2,
            0xE0 if second >= 0xA0 && tail(1) && tail(2) => 3,
            0xE1..=0xEF if tail(1) && tail(2) => 3,
            0xF0 if second >= 0x90 && tail(1) && tail(2) && tail(3) => 4,
            0xF1..=0xF3 if tail(1) && tail(2) && tail(3) => 4,
            0xF4 if second < 0x90 && tail(1) && tail(2) && tail(3) => 4,
            _ => return self.fault("invalid UTF-8"),
        };
        self.at += len;
        Ok(())
    }

    /// Passes over a text that is exactly this; the caller then knows what was there.
    #[inline]
    pub(crate) fn literal(&mut self, text: &Literal) -> bool {
        let found = match self.bytes.get(self.at..self.at + 8 * text.used) {
            Some(here) => here
                .chunks_exact(8)
                .zip(&text.words)
                .all(|(chunk, (word, mask))| (u64_of(chunk) ^ word) & mask == 0),
            None => self.bytes[self.at..].starts_with(text.text.as_bytes()),
        };
        if found {
            self.at += text.text.len();
        }
        found
    }

    /// A non-negative integer of at most 18 digits that ends at a comma or a bracket: by far the most frequent value.
    /// `None` passes over nothing.
    #[inline]
    pub(crate) fn count(&mut self) -> Option<i64> {
        let first = self.bytes.get(self.at)?.wrapping_sub(b'0');
        if first > 9 {
            return None;
        }
        let mut value = i64::from(first);
        let mut at = self.at + 1;
        while let Some(&byte) = self.bytes.get(at) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                let fits = at - self.at <= 18 && (first > 0 || at - self.at == 1);
                if fits && matches!(byte, b',' | b'}' | b']') {
                    self.at = at;
                    return Some(value);
                }
                return None;
            }
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
            at += 1;
        }
        None
    }

    /// A string of plain ASCII that does not end within the last eight bytes of the text: where it begins and ends,
    /// without its quotes. `None` passes over nothing.
    #[inline]
    pub(crate) fn plain(&mut self) -> Option<(usize, usize)> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            let marks = special(u64_of(self.bytes.get(at..at + 8)?));
            if marks == 0 {
                at += 8;
                continue;
            }
            at += marks.trailing_zeros() as usize / 8;
            if self.bytes[at] != b'"' {
                return None;
            }
            self.at = at + 1;
            return Some((start, at));
        }
    }

    /// Passes over a word of letters.
    #[inline]
    pub(crate) fn letters<const LEN: usize>(&mut self, word: [u8; LEN]) -> bool {
        let found = self.bytes.get(self.at..self.at + LEN).is_some_and(|here| *here == word);
        self.at += if found { LEN } else { 0 };
        found
    }

    /// A name and its colon.
    ///
    /// # Errors
    /// [`Fault`] when there is none.
    pub fn name(&mut self) -> Result<Str<'a>, Fault> {
        self.space();
        if self.peek() != Some(b'"') {
            return self.fault("expected a name in quotes");
        }
        self.at += 1;
        let name = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return self.fault("expected a colon after a name");
        }
        self.at += 1;
        Ok(name)
    }

    /// After an opening bracket: whether the array or object is empty; then it is passed.
    #[inline]
    pub fn closes_at_once(&mut self, close: u8) -> bool {
        self.space();
        let closes = self.peek() == Some(close);
        self.at += usize::from(closes);
        closes
    }

    /// After a value inside an array or object: whether another one follows.
    ///
    /// # Errors
    /// [`Fault`] when there is neither a comma nor the closing bracket.
    #[inline]
    pub fn goes_on(&mut self, close: u8) -> Result<bool, Fault> {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            Some(_) => self.fault(if close == b'}' { "expected , or }" } else { "expected , or ]" }),
            None => self.fault("the text ends inside an array or object"),
        }
    }

    /// Passes over the rest of an array or object whose opening bracket was passed; `opened` is what
    /// [`Scanner::value`] said of it.
    ///
    /// # Errors
    /// [`Fault`] when it is not well-formed or nested too deeply.
    pub fn skip_rest(&mut self, opened: Scalar<'a>) -> Result<(), Fault> {
        let close_of = |scalar| if scalar == Scalar::Object { b'}' } else { b']' };
        let close = close_of(opened);
        if self.closes_at_once(close) {
            return Ok(());
        }
        let mut open = vec![close];
        loop {
            if open.last() == Some(&b'}') {
                self.name()?;
            }
            let value = self.value()?;
            if matches!(value, Scalar::Array | Scalar::Object) && !self.closes_at_once(close_of(value)) {
                open.push(close_of(value));
                if open.len() >= MAX_DEPTH {
                    return self.fault("nested too deeply");
                }
                continue;
            }
            while let Some(&close) = open.last() {
                if self.goes_on(close)? {
                    break;
                }
                open.pop();
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// That nothing but white space is left.
    ///
    /// # Errors
    /// [`Fault`] when there is more.
    pub fn end(&mut self) -> Result<(), Fault> {
        self.space();
        if self.at == self.bytes.len() { Ok(()) } else { self.fault("more text after the value") }
    }
}

/// Resolves the escapes of a checked string. Only two escapes join to one character; an unpaired surrogate is kept
/// in its three-byte form (`reading.md` J-3).
fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < raw.len() {
        if raw[at] != b'\\' {
            let stop = memchr::memchr(b'\\', &raw[at..]).map_or(raw.len(), |len| at + len);
            out.extend_from_slice(&raw[at..stop]);
            at = stop;
            continue;
        }
        let escape = raw[at + 1];
        at += 2;
        match escape {
            b'b' => out.push(0x08),
            b'f' => out.push(0x0C),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let mut code = hex4(&raw[at..at + 4]);
                at += 4;
                if (0xD800..0xDC00).contains(&code) && raw[at..].starts_with(b"\\u") {
                    let low = hex4(&raw[at + 2..at + 6]);
                    if (0xDC00..0xE000).contains(&low) {
                        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                        at += 6;
                    }
                }
                push_code_point(code, out);
            }
            other => out.push(other),
        }
    }
}

fn hex4(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |code, &digit| code << 4 | (digit as char).to_digit(16).unwrap_or(0))
}

fn push_code_point(code: u32, out: &mut Vec<u8>) {
    match char::from_u32(code) {
        Some(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[
            0xE0 | (code >> 12) as u8,
            0x80 | (code >> 6 & 0x3F) as u8,
            0x80 | (code & 0x3F) as u8,
        ]),
    }
}
