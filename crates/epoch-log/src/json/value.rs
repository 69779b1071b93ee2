//! A tree for the few small objects that need one: hello, status, the `dropped` counters. Nothing keeps it.

use rustc_hash::FxHashMap;

use super::scan::{Fault, MAX_DEPTH, Scalar, Scanner};

/// A number.
#[derive(Clone, Debug)]
pub enum Number {
    /// An integer that fits.
    Int(i64),
    /// The decimal text of one that does not.
    Big(String),
    /// A float, also NaN and the infinities.
    Float(f64),
}

/// A JSON value. Strings are WTF-8; of a doubled name the last value counts.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(Vec<u8>),
    /// An array.
    Array(Vec<Value>),
    /// An object, in the order of first mention.
    Object(Vec<(Vec<u8>, Value)>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Number(Number::Int(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.as_bytes().to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}

impl Value {
    /// Reads a line (`reading.md` §6.2).
    ///
    /// # Errors
    /// [`Fault`] when it is not exactly one value.
    pub fn parse(text: &[u8]) -> Result<Self, Fault> {
        Self::read(Scanner::new(text))
    }

    /// Reads a side file: strict UTF-8 and no byte-order mark (`reading.md` T-2).
    ///
    /// # Errors
    /// [`Fault`] when it is not exactly one value.
    pub fn parse_strict(text: &[u8]) -> Result<Self, Fault> {
        if let Err(error) = std::str::from_utf8(text) {
            return Err(Fault { at: error.valid_up_to(), what: "invalid UTF-8" });
        }
        Self::read(Scanner::strict(text))
    }

    fn read(mut scanner: Scanner<'_>) -> Result<Self, Fault> {
        let value = Self::item(&mut scanner, 0)?;
        scanner.end()?;
        Ok(value)
    }

    fn item(scanner: &mut Scanner<'_>, depth: usize) -> Result<Self, Fault> {
        if depth >= MAX_DEPTH {
            return Err(Fault { at: scanner.at(), what: "nested too deeply" });
        }
        let mut buffer = Vec::new();
        Ok(match scanner.value()? {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int(value) => Value::Number(Number::Int(value)),
            Scalar::Big(text) => Value::Number(Number::Big(String::from_utf8_lossy(text).into_owned())),
            Scalar::Float(text) => {
                let text = String::from_utf8_lossy(text);
                Value::Number(Number::Float(text.parse().unwrap_or(f64::NAN)))
            }
            Scalar::String(string) => Value::String(string.bytes(&mut buffer).to_vec()),
            Scalar::Array => {
                let mut items = Vec::new();
                if !scanner.closes_at_once(b']') {
                    loop {
                        items.push(Self::item(scanner, depth + 1)?);
                        if !scanner.goes_on(b']')? {
                            break;
                        }
                    }
                }
                Value::Array(items)
            }
            Scalar::Object => {
                let mut fields: Vec<(Vec<u8>, Value)> = Vec::new();
                if !scanner.closes_at_once(b'}') {
                    loop {
                        let name = scanner.name()?.bytes(&mut buffer).to_vec();
                        let value = Self::item(scanner, depth + 1)?;
                        fields.push((name, value));
                        if !scanner.goes_on(b'}')? {
                            break;
                        }
                    }
                }
                Value::Object(last_of_each_name(fields))
            }
        })
    }

    /// The field of an object; `None` when absent, or when this is no object.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(fields) => {
                fields.iter().find(|field| field.0 == name.as_bytes()).map(|field| &field.1)
            }
            _ => None,
        }
    }

    /// The integer, when it is one that fits (`reading.md` V1).
    pub fn int(&self) -> Option<i64> {
        match self {
            Value::Number(Number::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// The number as a float, when it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(Number::Int(value)) => Some(*value as f64),
            Value::Number(Number::Big(text)) => text.parse().ok(),
            Value::Number(Number::Float(value)) => Some(*value),
            _ => None,
        }
    }

    /// The boolean, when it is one.
    pub fn flag(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The string for people: unpaired surrogates become U+FFFD.
    pub fn string(&self) -> Option<String> {
        match self {
            Value::String(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    /// The string, when it is not empty (`reading.md` V3).
    pub fn text(&self) -> Option<String> {
        self.string().filter(|text| !text.is_empty())
    }

    /// Whether it is *set* (`reading.md` V2).
    pub fn is_set(&self) -> bool {
        match self {
            Value::Null => false,
            Value::Bool(value) => *value,
            Value::Number(Number::Int(value)) => *value != 0,
            Value::Number(Number::Big(_)) => true,
            Value::Number(Number::Float(value)) => *value != 0.0,
            Value::String(bytes) => !bytes.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
        }
    }

    /// A text that two values share exactly when they are the same: numbers by value, booleans among them, NaN equal
    /// to NaN, objects without regard to order (`reading.md` §14.2).
    pub fn canonical(&self) -> String {
        match self {
            Value::Bool(value) => i64::from(*value).to_string(),
            Value::Number(Number::Float(value)) if value.is_finite() && value.fract() == 0.0 => {
                // Exact, so that 2⁵³ + 1 is not the float 2⁵³; adding 0 makes −0 a plain one.
                format!("{:.0}", value + 0.0)
            }
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(Value::canonical).collect();
                format!("[{}]", items.join(","))
            }
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by(|a, b| a.0.cmp(&b.0));
                let mut out = String::from("{");
                for (name, value) in fields {
                    write_string(name, &mut out);
                    out.push(':');
                    out.push_str(&value.canonical());
                    out.push(',');
                }
                out.push('}');
                out
            }
            value => value.to_json(),
        }
    }

    /// Writes the value as compact JSON in ASCII, names in their order, NaN and the infinities as bare words.
    pub fn write(&self, out: &mut String) {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Value::Number(Number::Int(value)) => out.push_str(&value.to_string()),
            Value::Number(Number::Big(text)) => out.push_str(text),
            Value::Number(Number::Float(value)) => out.push_str(&super::python::float(*value, true)),
            Value::String(bytes) => write_string(bytes, out),
            Value::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Value::Object(fields) => {
                out.push('{');
                for (at, (name, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_string(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// The value as compact JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

/// Of a doubled name the last value counts, in the place of the first.
fn last_of_each_name(fields: Vec<(Vec<u8>, Value)>) -> Vec<(Vec<u8>, Value)> {
    let mut places: FxHashMap<Vec<u8>, usize> = FxHashMap::default();
    let mut kept: Vec<(Vec<u8>, Value)> = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        match places.get(&name) {
            Some(&place) => kept[place].1 = value,
            None => {
                places.insert(name.clone(), kept.len());
                kept.push((name, value));
            }
        }
    }
    kept
}

pub(super) fn write_string(bytes: &[u8], out: &mut String) {
    use std::fmt::Write;
    out.push('"');
    super::python::each_code_point(bytes, |code| match code {
        0x22 => out.push_str("\\\""),
        0x5C => out.push_str("\\\\"),
        0x0A => out.push_str("\\n"),
        0x0D => out.push_str("\\r"),
        0x09 => out.push_str("\\t"),
        0x08 => out.push_str("\\b"),
        0x0C => out.push_str("\\f"),
        0x20..=0x7E => out.push(code as u8 as char),
        0..=0xFFFF => out.push_str(&format!("\\u{code:04x}")),
        _ => {
            let offset = code - 0x10000;
            let (high, low) = (0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
            let _ = write!(out, "\\u{high:04x}\\u{low:04x}");
        }
    });
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `reading.md` §14.2.
    #[test]
    fn values_are_the_same_by_value() {
        let same = |a: &str, b: &str| {
            let canonical = |text: &str| Value::parse(text.as_bytes()).expect("valid").canonical();
            canonical(a) == canonical(b)
        };
        assert!(same("1", "1.0") && same("1", "true") && same("-0.0", "0") && same("NaN", "NaN"));
        assert!(same("{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}"));
        assert!(!same("9007199254740993", "9007199254740992.0"));
        assert!(same("9007199254740992", "9007199254740992.0"));
        assert!(!same("1", "\"1\"") && !same("null", "0") && !same("1.5", "1"));
    }

    /// `reading.md` §6.2, as far as one line of text can say it.
    #[test]
    fn dialect_of_the_specification() {
        let valid = |text: &[u8]| Value::parse(text).is_ok();
        for good in [
            "{}\r",
            " {} ",
            "\u{feff}{}",
            "NaN",
            "-Infinity",
            "-0",
            "1e999",
            "{\"a\":1,\"a\":2}",
            "{\"\":1}",
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\ud800\\ud800\"",
            "\"\u{7f}\u{2028}\"",
            "\"\\/\"",
        ] {
            assert!(valid(good.as_bytes()), "{good:?}");
        }
        for bad in [
            "\u{feff}\u{feff}{}",
            " \u{feff}{}",
            "\u{feff}",
            "-NaN",
            "+Infinity",
            "nan",
            "inf",
            "01",
            "+1",
            ".5",
            "5.",
            "0x1",
            "\"\t\"",
            "\"\0\"",
            "\u{b}{}",
            "{}\u{c}",
            "\u{a0}{}",
            "\"\\x41\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\u+123\"",
            "[1,]",
            "{\"a\":1,}",
            "{'a':1}",
            "{}/**/",
            "{",
            "[1",
            "{} {}",
            "{}{}",
            "",
            "-",
            "{\"a\" 1}",
            "{1:2}",
        ] {
            assert!(!valid(bad.as_bytes()), "{bad:?}");
        }
        assert!(valid(b"\"\xED\xA0\x80\""));
        for bad in [&b"\"\xFF\""[..], b"\"\xC0\x80\"", b"\"\xF4\x90\x80\x80\"", b"\"\xE2\x82\"", b"\xFF{}"] {
            assert!(!valid(bad), "{bad:?}");
        }
        let nines = |count| "9".repeat(count);
        assert!(valid(nines(4300).as_bytes()) && valid(format!("-{}", nines(4300)).as_bytes()));
        assert!(!valid(nines(4301).as_bytes()) && !valid(format!("{{\"a\":[{}]}}", nines(4301)).as_bytes()));
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(valid(nested(900).as_bytes()) && !valid(nested(100_000).as_bytes()));
        assert!(!valid("[".repeat(100_000).as_bytes()));
    }

    #[test]
    fn strings_keep_unpaired_surrogates_apart() {
        let string = |text: &[u8]| match Value::parse(text) {
            Ok(Value::String(bytes)) => bytes,
            other => panic!("{other:?}"),
        };
        assert_eq!(string(b"\"\\ud83d\\ude00\""), "😀".as_bytes());
        assert_eq!(string(b"\"\\ud800\""), string(b"\"\xED\xA0\x80\""));
        assert_ne!(string(b"\"\\ud800\""), string(b"\"\\ud801\""));
        assert_ne!(string(b"\"\xED\xA0\xBD\xED\xB8\x80\""), "😀".as_bytes());
        assert_eq!(string(b"\"a\\n\\u0041\\/\""), b"a\nA/");
    }
}
