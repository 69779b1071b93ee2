//! The lines of a file (`artifact.md` L1).

/// Which characters end a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// LF, CRLF and a lone CR: what an import and an analysis take.
    Any,
    /// LF alone: what a diagnosis takes.
    LineFeed,
}

/// The lines of a file without their ends, blank ones too.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    ends: LineEnds,
}

impl<'a> Lines<'a> {
    /// All lines; a file that ends in a line's end has none after it.
    pub fn new(bytes: &'a [u8], ends: LineEnds) -> Self {
        Self { bytes, at: 0, ends }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = match self.ends {
            LineEnds::Any => memchr::memchr2(b'\n', b'\r', rest),
            LineEnds::LineFeed => memchr::memchr(b'\n', rest),
        };
        let Some(end) = end else {
            self.at = self.bytes.len();
            return Some(rest);
        };
        let width = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        self.at += end + width;
        Some(&rest[..end])
    }
}

/// Whether a line holds nothing but white space.
pub fn is_blank(line: &[u8]) -> bool {
    match line.first() {
        None => true,
        Some(b'{') => false,
        // What Unicode calls white space, and the four separators of ASCII.
        Some(_) => std::str::from_utf8(line)
            .is_ok_and(|text| text.chars().all(|c| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}'))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_of_three_ways() {
        let lines = |text: &'static str, ends| -> Vec<_> {
            Lines::new(text.as_bytes(), ends).map(|line| std::str::from_utf8(line).expect("UTF-8")).collect()
        };
        assert_eq!(lines("a\nb\r\nc\rd\n\ne", LineEnds::Any), ["a", "b", "c", "d", "", "e"]);
        assert_eq!(lines("a\nb\r\nc\rd\n", LineEnds::LineFeed), ["a", "b\r", "c\rd"]);
        assert_eq!(lines("a\r\r\nb", LineEnds::Any), ["a", "", "b"]);
        assert_eq!(lines("", LineEnds::Any), Vec::<&str>::new());
        assert_eq!(lines("\n", LineEnds::Any), [""]);
    }

    #[test]
    fn blank_lines() {
        for blank in ["", " \t", "\u{b}\u{c}", "\u{85}\u{a0}\u{2028}\u{3000}", "\u{1c}\u{1f}"] {
            assert!(is_blank(blank.as_bytes()), "{blank:?}");
        }
        for text in ["{}", " 5", "\u{200b}", "\u{feff}", "\0"] {
            assert!(!is_blank(text.as_bytes()), "{text:?}");
        }
        assert!(!is_blank(b"\xff"));
    }
}
