//! JSON text in the writer's form (`raw-log.md` §4): compact, pure ASCII, straight into a byte buffer.

use crate::clock::Stamp;

/// Writes JSON values at the end of a byte buffer.
///
/// Keys and punctuation go in as literals through [`raw`](Self::raw), so that one call carries as much of a record's
/// fixed text as stands between two values.
#[derive(Debug)]
pub struct Encoder<'b> {
    out: &'b mut Vec<u8>,
}

impl<'b> Encoder<'b> {
    /// An encoder that appends to `out`.
    pub fn new(out: &'b mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Text that is already JSON.
    #[inline]
    pub fn raw(&mut self, text: &str) -> &mut Self {
        self.out.extend_from_slice(text.as_bytes());
        self
    }

    /// An integer.
    #[inline]
    pub fn int(&mut self, value: i64) -> &mut Self {
        let mut digits = itoa::Buffer::new();
        self.raw(digits.format(value))
    }

    /// An integer or null.
    #[inline]
    pub fn opt_int(&mut self, value: Option<i64>) -> &mut Self {
        match value {
            Some(value) => self.int(value),
            None => self.raw("null"),
        }
    }

    /// `true` or `false`.
    #[inline]
    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.raw(if value { "true" } else { "false" })
    }

    /// `true`, `false` or null.
    pub fn opt_bool(&mut self, value: Option<bool>) -> &mut Self {
        match value {
            Some(value) => self.bool(value),
            None => self.raw("null"),
        }
    }

    /// A double in its shortest form; non-finite ones as the bare words of N7.
    pub fn float(&mut self, value: f64) -> &mut Self {
        if value.is_nan() {
            self.raw("NaN")
        } else if value.is_infinite() {
            self.raw(if value > 0.0 { "Infinity" } else { "-Infinity" })
        } else {
            let text = format!("{value:?}");
            self.raw(&text)
        }
    }

    /// A string (N2): everything beyond U+007E escaped, lower-case hex, surrogate pairs beyond U+FFFF.
    #[inline]
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.out.push(b'"');
        // One pass without an early exit, so that it is compiled to vector instructions.
        if text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
            self.out.extend_from_slice(text.as_bytes());
        } else {
            self.escaped(text);
        }
        self.out.push(b'"');
        self
    }

    /// A string or null.
    #[inline]
    pub fn opt_string(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.string(text),
            None => self.raw("null"),
        }
    }

    /// An array of strings.
    pub fn strings<'s>(&mut self, items: impl IntoIterator<Item = &'s str>) -> &mut Self {
        self.out.push(b'[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            self.string(item);
        }
        self.out.push(b']');
        self
    }

    /// The three fields of a stamp, each name after `prefix`, without a comma in front (B1, B3).
    pub fn stamp(&mut self, prefix: &str, stamp: Stamp) -> &mut Self {
        self.raw("\"").raw(prefix).raw("wall_ns\":").int(stamp.wall_ns);
        self.raw(",\"").raw(prefix).raw("mono_ns\":").int(stamp.mono_ns);
        self.raw(",\"").raw(prefix).raw("wall_after_ns\":").int(stamp.wall_after_ns)
    }

    #[cold]
    fn escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '"' => self.out.extend_from_slice(b"\\\""),
                '\\' => self.out.extend_from_slice(b"\\\\"),
                '\u{8}' => self.out.extend_from_slice(b"\\b"),
                '\u{c}' => self.out.extend_from_slice(b"\\f"),
                '\n' => self.out.extend_from_slice(b"\\n"),
                '\r' => self.out.extend_from_slice(b"\\r"),
                '\t' => self.out.extend_from_slice(b"\\t"),
                ' '..='~' => self.out.push(character as u8),
                _ => {
                    let mut units = [0; 2];
                    for unit in character.encode_utf16(&mut units) {
                        self.out.extend_from_slice(b"\\u");
                        for shift in [12, 8, 4, 0] {
                            self.out.push(b"0123456789abcdef"[usize::from(*unit >> shift & 0xf)]);
                        }
                    }
                }
            }
        }
    }
}

#[inline]
fn is_plain(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte) & (byte != b'"') & (byte != b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(write: impl FnOnce(&mut Encoder<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut Encoder::new(&mut out));
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn strings_are_ascii_with_the_writers_escapes() {
        for (text, want) in [
            ("plain ~ /", r#""plain ~ /""#),
            ("a\"b\\c", r#""a\"b\\c""#),
            ("\u{8}\u{c}\n\r\t", r#""\b\f\n\r\t""#),
            ("\0\u{1f}\u{7f}", r#""\u0000\u001f\u007f""#),
            ("é\u{2028}", r#""\u00e9\u2028""#),
            ("😀", r#""\ud83d\ude00""#),
            ("", r#""""#),
        ] {
            assert_eq!(
                encoded(|e| {
                    e.string(text);
                }),
                want
            );
        }
    }

    #[test]
    fn numbers_are_written_as_integers_or_shortest_doubles() {
        assert_eq!(
            encoded(|e| {
                e.int(i64::MIN);
            }),
            "-9223372036854775808"
        );
        assert_eq!(
            encoded(|e| {
                e.float(0.92);
            }),
            "0.92"
        );
        assert_eq!(
            encoded(|e| {
                e.float(1.0);
            }),
            "1.0"
        );
        assert_eq!(
            encoded(|e| {
                e.float(f64::NAN);
            }),
            "NaN"
        );
        assert_eq!(
            encoded(|e| {
                e.float(f64::NEG_INFINITY);
            }),
            "-Infinity"
        );
    }
}
