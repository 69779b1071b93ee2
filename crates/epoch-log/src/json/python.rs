//! How Python prints a JSON value, for IDs and iterations that are no strings (`reduce.md` V1).

use super::value::{Number, Value};

/// Python's `str` of a JSON value given as its text, WTF-8.
pub fn text_of(json: &[u8]) -> Vec<u8> {
    match Value::parse(json) {
        Ok(Value::String(bytes)) => bytes,
        Ok(value) => {
            let mut out = Vec::new();
            repr(&value, &mut out);
            out
        }
        Err(_) => json.to_vec(),
    }
}

fn repr(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"None"),
        Value::Bool(value) => out.extend_from_slice(if *value { b"True" } else { b"False" }),
        Value::Number(Number::Int(value)) => out.extend_from_slice(value.to_string().as_bytes()),
        Value::Number(Number::Big(text)) => out.extend_from_slice(text.as_bytes()),
        Value::Number(Number::Float(value)) => out.extend_from_slice(float(*value, false).as_bytes()),
        Value::String(bytes) => quoted(bytes, out),
        Value::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                repr(item, out);
            }
            out.push(b']');
        }
        Value::Object(fields) => {
            out.push(b'{');
            for (at, (name, value)) in fields.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                quoted(name, out);
                out.extend_from_slice(b": ");
                repr(value, out);
            }
            out.push(b'}');
        }
    }
}

/// The shortest decimal that reads back as the same float: positional from 1e-4 to below 1e16, else with an
/// exponent of at least two digits. `json` spells out the non-finite ones as JSON's bare words.
pub(super) fn float(value: f64, json: bool) -> String {
    if value.is_nan() {
        return if json { "NaN" } else { "nan" }.into();
    }
    if value.is_infinite() {
        let word = if json { "Infinity" } else { "inf" };
        return if value < 0.0 { format!("-{word}") } else { word.into() };
    }
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

fn quoted(bytes: &[u8], out: &mut Vec<u8>) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    out.push(quote);
    each_code_point(bytes, |code| match code {
        0x0A => out.extend_from_slice(b"\\n"),
        0x0D => out.extend_from_slice(b"\\r"),
        0x09 => out.extend_from_slice(b"\\t"),
        0x5C => out.extend_from_slice(b"\\\\"),
        0..=0x1F | 0x7F..=0xA0 | 0xAD => out.extend_from_slice(format!("\\x{code:02x}").as_bytes()),
        0xD800..=0xDFFF => out.extend_from_slice(format!("\\u{code:04x}").as_bytes()),
        _ if code == u32::from(quote) => out.extend_from_slice(&[b'\\', quote]),
        _ => {
            let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    });
    out.push(quote);
}

/// Calls `f` with each code point of a WTF-8 text.
pub(super) fn each_code_point(bytes: &[u8], mut f: impl FnMut(u32)) {
    let mut at = 0;
    while at < bytes.len() {
        let byte = u32::from(bytes[at]);
        let (len, bits) = match byte {
            0..=0x7F => (1, byte),
            0x80..=0xDF => (2, byte & 0x1F),
            0xE0..=0xEF => (3, byte & 0x0F),
            _ => (4, byte & 0x07),
        };
        let end = (at + len).min(bytes.len());
        f(bytes[at + 1..end].iter().fold(bits, |code, tail| code << 6 | u32::from(tail & 0x3F)));
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_as_in_python() {
        let cases: [(&str, &str); 14] = [
            ("5", "5"),
            ("-0", "0"),
            ("true", "True"),
            ("null", "None"),
            ("1.5", "1.5"),
            ("0.0", "0.0"),
            ("1e22", "1e+22"),
            ("1e16", "1e+16"),
            ("123456789012345.0", "123456789012345.0"),
            ("0.00001", "1e-05"),
            ("[1,\"a\"]", "[1, 'a']"),
            ("{\"a\":[null,\"it's\"]}", "{'a': [None, \"it's\"]}"),
            ("\"5\"", "5"),
            ("NaN", "nan"),
        ];
        for (json, text) in cases {
            assert_eq!(String::from_utf8(text_of(json.as_bytes())).as_deref(), Ok(text), "{json}");
        }
    }
}
