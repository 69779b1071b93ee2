//! Numbers of the log: integers stay exact, and what Python makes of other values where the reference converts.

use super::scan::{Scalar, Scanner};

pub(super) enum Digits {
    Int { value: i64, len: usize },
    Big { len: usize },
    Float { len: usize },
    TooLong,
    Not,
}

/// Integers of more digits make the whole line invalid (`reading.md` J-2).
const MAX_DIGITS: usize = 4300;

/// The number at the start of a text.
#[inline]
pub(super) fn scan(text: &[u8]) -> Digits {
    let sign = usize::from(text.first() == Some(&b'-'));
    let mut at = sign;
    let mut value: i64 = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(at) {
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
        at += 1;
        if at == sign + 1 && value == 0 {
            break;
        }
    }
    let digits = at - sign;
    if digits == 0 {
        return Digits::Not;
    }
    let mut len = at;
    if text.get(at) == Some(&b'.') && text.get(at + 1).is_some_and(u8::is_ascii_digit) {
        len = at + 1 + text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    if matches!(text.get(len), Some(b'e' | b'E')) {
        let exponent = len + 1 + usize::from(matches!(text.get(len + 1), Some(b'+' | b'-')));
        let count = text[exponent.min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count > 0 {
            len = exponent + count;
        }
    }
    if len > at {
        return Digits::Float { len };
    }
    if digits <= 18 {
        return Digits::Int { value: if sign == 1 { -value } else { value }, len };
    }
    match std::str::from_utf8(&text[..len]).ok().and_then(|digits| digits.parse().ok()) {
        Some(value) => Digits::Int { value, len },
        None if digits > MAX_DIGITS => Digits::TooLong,
        None => Digits::Big { len },
    }
}

/// A JSON value, given as its text, as Python's `int()` takes it: floats are cut, digit strings read, booleans are 1
/// and 0. `None` where Python refuses, and where the result does not fit 64 bits.
pub fn loose_int(json: &[u8]) -> Option<i64> {
    match Scanner::new(json).value().ok()? {
        Scalar::Int(value) => Some(value),
        Scalar::Bool(value) => Some(i64::from(value)),
        Scalar::Float(text) => {
            let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
            // 2⁶³ as a float is the first that does not fit.
            (value.trunc() >= -9_223_372_036_854_775_808.0 && value < 9_223_372_036_854_775_808.0)
                .then_some(value as i64)
        }
        Scalar::String(string) => {
            let mut buffer = Vec::new();
            let text = std::str::from_utf8(string.bytes(&mut buffer)).ok()?.trim();
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            let well_formed = !digits.is_empty()
                && digits
                    .split('_')
                    .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
            if well_formed { text.replace('_', "").parse().ok() } else { None }
        }
        Scalar::Null | Scalar::Big(_) | Scalar::Array | Scalar::Object => None,
    }
}
