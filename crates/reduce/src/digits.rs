//! Number names (`reduce.md` §1): the digits of step names and of IDs.

use crate::facts::Rules;

/// Code points of the digit zero in every script; the digits one to nine follow each.
const ZEROS: &[u32] = &[
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
    0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
    0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066,
    0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950,
    0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6,
    0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// The decimal value of one digit: ASCII only when corrected, of any script in the reference (V2).
fn digit(character: char, rules: Rules) -> Option<i64> {
    if let Some(value) = character.to_digit(10) {
        return Some(i64::from(value));
    }
    if rules == Rules::Corrected || character.is_ascii() {
        return None;
    }
    let code = u32::from(character);
    let zero = ZEROS[..ZEROS.partition_point(|&zero| zero <= code)].last()?;
    (code - zero < 10).then(|| i64::from(code - zero))
}

/// How many bytes at the start are digits.
pub(crate) fn leading(text: &[u8], rules: Rules) -> usize {
    let ascii = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if rules == Rules::Corrected || text.get(ascii).is_none_or(u8::is_ascii) {
        return ascii;
    }
    valid(text).chars().take_while(|&character| digit(character, rules).is_some()).map(char::len_utf8).sum()
}

/// Whether a text is digits only, at least one.
pub(crate) fn all(text: &[u8], rules: Rules) -> bool {
    !text.is_empty() && leading(text, rules) == text.len()
}

/// The number a text of digits only stands for; an overflow counts as none (V3).
pub(crate) fn number(text: &[u8], rules: Rules) -> Option<i64> {
    if !all(text, rules) {
        return None;
    }
    valid(text)
        .chars()
        .try_fold(0i64, |value, character| value.checked_mul(10)?.checked_add(digit(character, rules)?))
}

/// The text up to the first unpaired surrogate, which is no digit.
fn valid(text: &[u8]) -> &str {
    match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_when_they_are_digits_only() {
        for (text, reference, corrected) in [
            ("0", Some(0), Some(0)),
            ("007", Some(7), Some(7)),
            ("9223372036854775807", Some(i64::MAX), Some(i64::MAX)),
            ("9223372036854775808", None, None),
            ("", None, None),
            ("-1", None, None),
            ("+1", None, None),
            ("1.0", None, None),
            (" 1", None, None),
            ("1_0", None, None),
            ("٣", Some(3), None),
            ("1٣", Some(13), None),
            ("𝟗", Some(9), None),
            ("²", None, None),
            ("1²", None, None),
            ("a", None, None),
        ] {
            assert_eq!(number(text.as_bytes(), Rules::Reference), reference, "{text:?}");
            assert_eq!(number(text.as_bytes(), Rules::Corrected), corrected, "{text:?}");
        }
        assert_eq!(number(b"1\xED\xA0\x80", Rules::Reference), None);
        assert_eq!(leading("12٣_".as_bytes(), Rules::Reference), 4);
        assert_eq!(leading("12٣_".as_bytes(), Rules::Corrected), 2);
    }
}
