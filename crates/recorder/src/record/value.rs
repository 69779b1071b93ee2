//! Values copied from an engine's settings or from an extra status source.

use super::{Fields, NotEncodable};
use crate::json::Encoder;

/// A value of `hello.config` or of a status source.
pub enum Value {
    /// No value.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A double; not-finite ones are written as the bare words of `raw-log.md` N7.
    Float(f64),
    /// A string.
    Text(String),
    /// An object, its fields in order.
    Object(Vec<(String, Value)>),
    /// Something that encodes itself, and may turn out not to be encodable.
    Own(Box<dyn Fields + Send + Sync>),
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = Vec::new();
        match self.encode(&mut Encoder::new(&mut text)) {
            Ok(()) => f.write_str(&String::from_utf8_lossy(&text)),
            Err(NotEncodable) => f.write_str("<not encodable>"),
        }
    }
}

impl Value {
    /// A count, as large as an integer of the log may be.
    pub(crate) fn count(count: u64) -> Self {
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Appends the value.
    pub fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        match self {
            Self::Null => {
                out.raw("null");
            }
            Self::Bool(value) => {
                out.bool(*value);
            }
            Self::Int(value) => {
                out.int(*value);
            }
            Self::Float(value) => {
                out.float(*value);
            }
            Self::Text(text) => {
                out.string(text);
            }
            Self::Object(fields) => {
                out.raw("{");
                for (index, (name, value)) in fields.iter().enumerate() {
                    out.raw(if index > 0 { "," } else { "" }).string(name).raw(":");
                    value.encode(out)?;
                }
                out.raw("}");
            }
            Self::Own(fields) => fields.encode(out)?,
        }
        Ok(())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
