//! One column: its name and type, and the values of a row group in the making.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{Type, TypePtr};
use rustc_hash::FxHashMap;
use stepscope_reduce::Raw;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8; what is none has replacement characters.
    Text,
    /// 64 bits, signed: times and durations in ns, tokens, numbers.
    Int,
    /// Double precision.
    Float,
    /// True or false.
    Flag,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct ColumnSpec {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it is never null.
    pub required: bool,
}

impl ColumnSpec {
    const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, required: false }
    }

    pub(super) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(super) fn to_type(self) -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match self.kind {
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Int => (Physical::INT64, None),
            Kind::Float => (Physical::DOUBLE, None),
            Kind::Flag => (Physical::BOOLEAN, None),
        };
        let repetition = if self.required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let builder = Type::primitive_type_builder(self.name, physical);
        Ok(Arc::new(builder.with_logical_type(logical).with_repetition(repetition).build()?))
    }
}

pub(super) const fn text(name: &'static str) -> ColumnSpec {
    ColumnSpec::new(name, Kind::Text)
}

pub(super) const fn int(name: &'static str) -> ColumnSpec {
    ColumnSpec::new(name, Kind::Int)
}

pub(super) const fn float(name: &'static str) -> ColumnSpec {
    ColumnSpec::new(name, Kind::Float)
}

pub(super) const fn flag(name: &'static str) -> ColumnSpec {
    ColumnSpec::new(name, Kind::Flag)
}

/// The values of a column since the last row group.
pub(super) struct Column {
    pub(super) spec: &'static ColumnSpec,
    values: Values,
    /// 1 where there is a value, 0 where there is none.
    defined: Vec<i16>,
}

enum Values {
    Text(Texts),
    Int(Vec<i64>),
    Float(Vec<f64>),
    Flag(Vec<bool>),
}

/// Texts of which most come again: each is held once.
#[derive(Default)]
struct Texts {
    values: Vec<ByteArray>,
    known: FxHashMap<Box<[u8]>, ByteArray>,
}

impl Texts {
    fn push(&mut self, text: &[u8]) {
        if let Some(known) = self.known.get(text) {
            self.values.push(known.clone());
            return;
        }
        let utf8 = String::from_utf8_lossy(text).into_owned();
        let value = ByteArray::from(utf8.into_bytes());
        self.known.insert(text.into(), value.clone());
        self.values.push(value);
    }
}

impl Column {
    pub(super) fn new(spec: &'static ColumnSpec) -> Self {
        let values = match spec.kind {
            Kind::Text => Values::Text(Texts::default()),
            Kind::Int => Values::Int(Vec::new()),
            Kind::Float => Values::Float(Vec::new()),
            Kind::Flag => Values::Flag(Vec::new()),
        };
        Self { spec, values, defined: Vec::new() }
    }

    /// Adds a value. One of another type than the column's is none; what may not be null is then empty or zero.
    pub(super) fn push(&mut self, value: Raw<'_>) {
        let is_there = match (&mut self.values, value) {
            (Values::Text(texts), Raw::Text(text)) => {
                texts.push(text);
                true
            }
            (Values::Int(ints), Raw::Int(int)) => {
                ints.push(int);
                true
            }
            (Values::Flag(flags), Raw::Bool(flag)) => {
                flags.push(flag);
                true
            }
            (values, _) => {
                if self.spec.required {
                    values.push_default();
                }
                self.spec.required
            }
        };
        self.defined.push(i16::from(is_there));
    }

    /// Adds a number that need not be whole.
    pub(super) fn push_float(&mut self, value: Option<f64>) {
        if let (Values::Float(floats), Some(value)) = (&mut self.values, value) {
            floats.push(value);
        }
        self.defined.push(i16::from(value.is_some()));
    }

    /// Writes the values and forgets them.
    pub(super) fn write(&mut self, mut to: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let defined = (!self.spec.required).then_some(&self.defined[..]);
        match &mut self.values {
            Values::Text(texts) => {
                to.typed::<ByteArrayType>().write_batch(&texts.values, defined, None)?;
                texts.values.clear();
                texts.known.clear();
            }
            Values::Int(ints) => {
                to.typed::<Int64Type>().write_batch(ints, defined, None)?;
                ints.clear();
            }
            Values::Float(floats) => {
                to.typed::<DoubleType>().write_batch(floats, defined, None)?;
                floats.clear();
            }
            Values::Flag(flags) => {
                to.typed::<BoolType>().write_batch(flags, defined, None)?;
                flags.clear();
            }
        }
        self.defined.clear();
        to.close()
    }
}

impl Values {
    fn push_default(&mut self) {
        match self {
            Self::Text(texts) => texts.push(b""),
            Self::Int(ints) => ints.push(0),
            Self::Float(floats) => floats.push(0.0),
            Self::Flag(flags) => flags.push(false),
        }
    }
}
