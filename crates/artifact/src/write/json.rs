//! JSON as the artifact's writer emits it (`artifact.md` L2): ASCII, names ascending at every depth.

use std::io::Write;

use stepscope_epoch_log::json::{Number, Value};
use stepscope_reduce::record::{Fields, Raw, Ref};

/// What stands between names and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `, ` and `: `, as in the rows of a file.
    Spaced,
    /// `,` and `:`, as under the hash of a context's id.
    Compact,
}

impl Form {
    fn comma(self) -> &'static [u8] {
        if self == Form::Spaced { b", " } else { b"," }
    }

    fn colon(self) -> &'static [u8] {
        if self == Form::Spaced { b": " } else { b":" }
    }
}

/// Marks the characters that stand for themselves in a string.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0x20;
    while byte < 0x7F {
        plain[byte] = byte != b'"' as usize && byte != b'\\' as usize;
        byte += 1;
    }
    plain
};

/// Appends a string, given as WTF-8.
#[inline]
pub(crate) fn string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    inside(text, out);
    out.push(b'"');
}

/// Appends the inside of a string.
#[inline]
fn inside(text: &[u8], out: &mut Vec<u8>) {
    if text.iter().all(|&byte| PLAIN[byte as usize]) {
        out.extend_from_slice(text);
    } else {
        escaped(text, out);
    }
}

#[cold]
fn escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let len = match byte {
            b'"' | b'\\' => {
                out.extend_from_slice(&[b'\\', byte]);
                1
            }
            b'\n' => short(b'n', out),
            b'\r' => short(b'r', out),
            b'\t' => short(b't', out),
            0x08 => short(b'b', out),
            0x0C => short(b'f', out),
            0x20..=0x7E => {
                out.push(byte);
                1
            }
            _ => code_point(&text[at..], out),
        };
        at += len;
    }
}

fn short(letter: u8, out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(&[b'\\', letter]);
    1
}

/// Escapes the code point at the start of a text; gives its length there.
fn code_point(text: &[u8], out: &mut Vec<u8>) -> usize {
    let lead = u32::from(text[0]);
    let (len, bits) = match lead {
        0..=0x7F => (1, lead),
        0x80..=0xDF => (2, lead & 0x1F),
        0xE0..=0xEF => (3, lead & 0x0F),
        _ => (4, lead & 0x07),
    };
    let len = len.min(text.len());
    let code = text[1..len].iter().fold(bits, |code, tail| code << 6 | u32::from(tail & 0x3F));
    // Writing to a vector cannot fail.
    let _ = match code.checked_sub(0x10000) {
        None => write!(out, "\\u{code:04x}"),
        Some(offset) => write!(out, "\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF)),
    };
    len
}

#[inline]
pub(crate) fn int(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends any value; NaN and the infinities as bare words.
pub(crate) fn value(value: &Value, form: Form, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Value::Number(Number::Int(value)) => int(*value, out),
        Value::Number(Number::Big(digits)) => out.extend_from_slice(digits.as_bytes()),
        float @ Value::Number(Number::Float(_)) => out.extend_from_slice(float.to_json().as_bytes()),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(form.comma());
                }
                self::value(item, form, out);
            }
            out.push(b']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            // The order of WTF-8 is that of code points.
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            out.push(b'{');
            for (at, (name, item)) in fields.into_iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(form.comma());
                }
                string(name, out);
                out.extend_from_slice(form.colon());
                self::value(item, form, out);
            }
            out.push(b'}');
        }
    }
}

/// Appends a value over several lines, two spaces a level.
pub(crate) fn indented(value: &Value, level: usize, out: &mut Vec<u8>) {
    let line = |level: usize, out: &mut Vec<u8>| {
        out.push(b'\n');
        out.resize(out.len() + 2 * level, b' ');
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                out.extend_from_slice(if at > 0 { b"," } else { b"" });
                line(level + 1, out);
                indented(item, level + 1, out);
            }
            line(level, out);
            out.push(b']');
        }
        Value::Object(fields) if !fields.is_empty() => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            out.push(b'{');
            for (at, (name, item)) in fields.into_iter().enumerate() {
                out.extend_from_slice(if at > 0 { b"," } else { b"" });
                line(level + 1, out);
                string(name, out);
                out.extend_from_slice(b": ");
                indented(item, level + 1, out);
            }
            line(level, out);
            out.push(b'}');
        }
        flat => self::value(flat, Form::Spaced, out),
    }
}

/// Writes one object from fields that come in order.
pub(crate) struct ObjectWriter<'o> {
    pub(crate) out: &'o mut Vec<u8>,
    form: Form,
    /// What stands at the places of `context` and `schema_version`.
    context_id: &'o [u8],
    /// Whether the next field is the first of its object.
    first: bool,
}

impl<'o> ObjectWriter<'o> {
    /// Begins the object. `context_id` is empty for one that has no context.
    pub(crate) fn new(out: &'o mut Vec<u8>, form: Form, context_id: &'o [u8]) -> Self {
        out.push(b'{');
        Self { out, form, context_id, first: true }
    }

    /// Ends it.
    pub(crate) fn end(self) {
        self.out.push(b'}');
    }

    #[inline]
    pub(crate) fn name(&mut self, name: &'static str) {
        if self.first {
            self.first = false;
            self.out.push(b'"');
        } else if self.form == Form::Spaced {
            self.out.extend_from_slice(b", \"");
        } else {
            self.out.extend_from_slice(b",\"");
        }
        // Names are this program's own: nothing in them needs an escape.
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(if self.form == Form::Spaced { b"\": " } else { b"\":" });
    }
}

impl Fields for ObjectWriter<'_> {
    #[inline]
    fn value(&mut self, name: &'static str, value: Raw<'_>) {
        self.name(name);
        match value {
            Raw::Null => self.out.extend_from_slice(b"null"),
            Raw::Bool(true) => self.out.extend_from_slice(b"true"),
            Raw::Bool(false) => self.out.extend_from_slice(b"false"),
            Raw::Int(value) => int(value, self.out),
            Raw::Text(text) => string(text, self.out),
            Raw::Json(json) => {
                let parsed = Value::parse(json).unwrap_or(Value::Null);
                self::value(&parsed, self.form, self.out);
            }
        }
    }

    #[inline]
    fn joined(&mut self, name: &'static str, parts: &[&[u8]]) {
        self.name(name);
        self.out.push(b'"');
        for part in parts {
            inside(part, self.out);
        }
        self.out.push(b'"');
    }

    #[inline]
    fn reference(&mut self, name: &'static str, reference: Option<Ref<'_>>) {
        self.name(name);
        let Some(Ref { producer_id, id }) = reference else {
            self.out.extend_from_slice(b"null");
            return;
        };
        self.out.extend_from_slice(b"{\"id\"");
        self.out.extend_from_slice(self.form.colon());
        string(id, self.out);
        self.out.extend_from_slice(self.form.comma());
        self.out.extend_from_slice(b"\"producer_id\"");
        self.out.extend_from_slice(self.form.colon());
        string(producer_id, self.out);
        self.out.push(b'}');
    }

    #[inline]
    fn context(&mut self) {
        let id = self.context_id;
        self.name("context_id");
        string(id, self.out);
    }

    #[inline]
    fn schema_version(&mut self) {
        self.name("schema_version");
        self.out.push(b'4');
    }

    #[inline]
    fn open(&mut self, name: &'static str) {
        self.name(name);
        self.out.push(b'{');
        self.first = true;
    }

    #[inline]
    fn close(&mut self) {
        self.out.push(b'}');
        self.first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(json: &str) -> String {
        let mut out = Vec::new();
        value(&Value::parse(json.as_bytes()).expect("JSON"), Form::Spaced, &mut out);
        String::from_utf8(out).expect("ASCII")
    }

    /// `artifact.md` L2.
    #[test]
    fn names_ascend_at_every_depth_and_all_is_ascii() {
        assert_eq!(
            spaced(r#"{"b":[{"z":1,"a":{}},[]],"a":null,"\ue000":1,"😀":2,"é":true}"#),
            r#"{"a": null, "b": [{"a": {}, "z": 1}, []], "\u00e9": true, "\ue000": 1, "\ud83d\ude00": 2}"#
        );
        assert_eq!(
            spaced(r#"["\"\\\/\b\f\n\r\t\u0000\u001f\u007f é😀\ud800"]"#),
            r#"["\"\\/\b\f\n\r\t\u0000\u001f\u007f \u00e9\ud83d\ude00\ud800"]"#
        );
        assert_eq!(
            spaced("[NaN,-Infinity,Infinity,1e22,1.50,-0.0,-0,123456789012345678901234567890,0.00001]"),
            "[NaN, -Infinity, Infinity, 1e+22, 1.5, -0.0, 0, 123456789012345678901234567890, 1e-05]"
        );
    }

    #[test]
    fn an_event_id_of_parts_reads_as_one_string() {
        let mut out = Vec::new();
        let mut writer = ObjectWriter::new(&mut out, Form::Spaced, b"");
        writer.joined("event_id", &[b"request:", "é\"".as_bytes(), b":", b"x"]);
        writer.open("metadata");
        writer.value("a", Raw::Json(b"{\"b\": 1, \"a\":[1.0 , NaN]}"));
        writer.close();
        writer.reference("request_ref", Some(Ref { producer_id: b"P", id: b"1" }));
        writer.end();
        assert_eq!(
            String::from_utf8(out).as_deref(),
            Ok(
                r#"{"event_id": "request:\u00e9\":x", "metadata": {"a": {"a": [1.0, NaN], "b": 1}}, "request_ref": {"id": "1", "producer_id": "P"}}"#
            )
        );
    }
}
