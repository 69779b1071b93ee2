//! A JSON object as names and the text of their values. Nothing below the names is built; what is asked for is looked
//! up in the text.

use std::borrow::Cow;
use std::cmp::Ordering;

use stepscope_epoch_log::json::{Fault, Scalar, Scanner, Str, Value};
use stepscope_reduce::record::Ref;

/// The fields of one object, each name once: of a doubled name the last counts (`artifact.md` L2).
#[derive(Clone, Debug, Default)]
pub struct Object<'a> {
    fields: Vec<(Cow<'a, [u8]>, &'a [u8])>,
}

/// Objects of more fields look for doubled names by sorting.
const FEW: usize = 32;

impl<'a> Object<'a> {
    /// Takes apart a text that is exactly one JSON value; `Ok(None)` when it is no object.
    ///
    /// # Errors
    /// [`Fault`] when it is not exactly one JSON value.
    pub fn parse(json: &'a [u8]) -> Result<Option<Self>, Fault> {
        let mut scanner = Scanner::strict(json);
        let opened = scanner.value()?;
        if opened != Scalar::Object {
            if opened == Scalar::Array {
                scanner.skip_rest(opened)?;
            }
            scanner.end()?;
            return Ok(None);
        }
        let mut fields = Vec::with_capacity(16);
        if !scanner.closes_at_once(b'}') {
            loop {
                let name = owned_where_escaped(scanner.name()?);
                scanner.space();
                let start = scanner.at();
                let value = scanner.value()?;
                if matches!(value, Scalar::Array | Scalar::Object) {
                    scanner.skip_rest(value)?;
                }
                fields.push((name, scanner.between(start, scanner.at())));
                if !scanner.goes_on(b'}')? {
                    break;
                }
            }
        }
        scanner.end()?;
        let mut object = Self { fields };
        object.keep_last_of_each();
        Ok(Some(object))
    }

    /// The object of a value that was checked before; empty when it is no object.
    pub fn of(json: &'a [u8]) -> Self {
        Self::parse(json).ok().flatten().unwrap_or_default()
    }

    fn keep_last_of_each(&mut self) {
        let len = self.fields.len();
        let doubled = if len <= FEW {
            (1..len).any(|at| self.fields[..at].iter().any(|field| field.0 == self.fields[at].0))
        } else {
            let mut names: Vec<&[u8]> = self.fields.iter().map(|field| &field.0[..]).collect();
            names.sort_unstable();
            names.windows(2).any(|pair| pair[0] == pair[1])
        };
        if !doubled {
            return;
        }
        // A stable sort keeps doubled names in their order; the last of each run stands.
        self.fields.sort_by(|a, b| a.0.cmp(&b.0));
        let mut kept: Vec<(Cow<'a, [u8]>, &'a [u8])> = Vec::with_capacity(len);
        for field in self.fields.drain(..) {
            match kept.last_mut() {
                Some(last) if last.0 == field.0 => *last = field,
                _ => kept.push(field),
            }
        }
        self.fields = kept;
    }

    /// The text of a field's value; `None` when absent.
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.fields.iter().find(|field| *field.0 == *name.as_bytes()).map(|field| field.1)
    }

    /// Names and the texts of their values.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &'a [u8])> {
        self.fields.iter().map(|field| (&field.0[..], field.1))
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// A field that is a non-empty string (`artifact.md` §3 *text*), WTF-8.
    pub fn text(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.get(name).and_then(text)
    }

    /// A field that is an integer that fits.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name).map(scalar) {
            Some(Scalar::Int(value)) => Some(value),
            _ => None,
        }
    }

    /// A field that is an object; empty when it is anything else.
    pub fn object(&self, name: &str) -> Object<'a> {
        self.get(name).map(Object::of).unwrap_or_default()
    }

    /// The whole object as a tree.
    pub fn to_value(&self) -> Value {
        let fields = self.fields.iter().map(|(name, json)| (name.to_vec(), value(json)));
        Value::Object(fields.collect())
    }
}

/// The value, or the start of it, of a text that was checked before.
pub(crate) fn scalar(json: &[u8]) -> Scalar<'_> {
    Scanner::strict(json).value().unwrap_or(Scalar::Null)
}

/// The tree of a text that was checked before.
pub(crate) fn value(json: &[u8]) -> Value {
    Value::parse_strict(json).unwrap_or(Value::Null)
}

/// A string, WTF-8.
pub(crate) fn string(json: &[u8]) -> Option<Cow<'_, [u8]>> {
    match scalar(json) {
        Scalar::String(text) => Some(owned_where_escaped(text)),
        _ => None,
    }
}

/// A non-empty string, WTF-8.
pub(crate) fn text(json: &[u8]) -> Option<Cow<'_, [u8]>> {
    string(json).filter(|text| !text.is_empty())
}

/// A reference as it stands in a row: exactly `producer_id` and `id`, both texts (`artifact.md` §3).
#[derive(Clone, Debug)]
pub(crate) struct RefText<'a> {
    producer_id: Cow<'a, [u8]>,
    id: Cow<'a, [u8]>,
}

impl<'a> RefText<'a> {
    /// Takes a checked text apart without building an object: every row has several.
    pub(crate) fn parse(json: &'a [u8]) -> Option<Self> {
        let mut scanner = Scanner::strict(json);
        if scanner.value().ok()? != Scalar::Object || scanner.closes_at_once(b'}') {
            return None;
        }
        let (mut producer_id, mut id) = (None, None);
        loop {
            let mut buffer = Vec::new();
            let place = match scanner.name().ok()?.bytes(&mut buffer) {
                b"producer_id" => &mut producer_id,
                b"id" => &mut id,
                _ => return None,
            };
            // Of a doubled name the last counts, also when it is the first that would do.
            *place = match scanner.value().ok()? {
                Scalar::String(text) => Some(owned_where_escaped(text)).filter(|text| !text.is_empty()),
                opened @ (Scalar::Array | Scalar::Object) => {
                    scanner.skip_rest(opened).ok()?;
                    None
                }
                _ => None,
            };
            if !scanner.goes_on(b'}').ok()? {
                return Some(Self { producer_id: producer_id?, id: id? });
            }
        }
    }

    pub(crate) fn as_ref(&self) -> Ref<'_> {
        Ref { producer_id: &self.producer_id, id: &self.id }
    }
}

fn owned_where_escaped(text: Str<'_>) -> Cow<'_, [u8]> {
    match text {
        Str::Plain(bytes) => Cow::Borrowed(bytes),
        escaped => Cow::Owned(escaped.bytes(&mut Vec::new()).to_vec()),
    }
}

/// The texts of an array's items.
pub(crate) fn items(json: &[u8]) -> Option<Vec<&[u8]>> {
    let mut scanner = Scanner::strict(json);
    if scanner.value().ok()? != Scalar::Array {
        return None;
    }
    let mut items = Vec::new();
    if scanner.closes_at_once(b']') {
        return Some(items);
    }
    loop {
        scanner.space();
        let start = scanner.at();
        let value = scanner.value().ok()?;
        if matches!(value, Scalar::Array | Scalar::Object) {
            scanner.skip_rest(value).ok()?;
        }
        items.push(scanner.between(start, scanner.at()));
        if !scanner.goes_on(b']').ok()? {
            return Some(items);
        }
    }
}

/// An integer of any size (`artifact.md` §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole<'a> {
    /// One that fits.
    Fits(i64),
    /// The digits of one that does not, with a `-` in front of a negative one.
    Big(&'a [u8]),
}

impl<'a> Whole<'a> {
    pub(crate) fn of(json: &'a [u8]) -> Option<Self> {
        match scalar(json) {
            Scalar::Int(value) => Some(Self::Fits(value)),
            Scalar::Big(digits) => Some(Self::Big(digits)),
            _ => None,
        }
    }

    pub(crate) fn is_negative(self) -> bool {
        match self {
            Self::Fits(value) => value < 0,
            Self::Big(digits) => digits.starts_with(b"-"),
        }
    }

    /// The nearest integer of 128 bits.
    pub(crate) fn wide(self) -> i128 {
        let edge = if self.is_negative() { i128::MIN } else { i128::MAX };
        match self {
            Self::Fits(value) => value.into(),
            Self::Big(digits) => {
                std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok()).unwrap_or(edge)
            }
        }
    }

    /// The nearest integer that fits.
    pub(crate) fn saturated(self) -> i64 {
        match self {
            Self::Fits(value) => value,
            Self::Big(_) if self.is_negative() => i64::MIN,
            Self::Big(_) => i64::MAX,
        }
    }
}

impl PartialOrd for Whole<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Whole<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Fits(a), Self::Fits(b)) => a.cmp(b),
            (Self::Fits(_), Self::Big(_)) if other.is_negative() => Ordering::Greater,
            (Self::Fits(_), Self::Big(_)) => Ordering::Less,
            (Self::Big(_), Self::Fits(_)) => other.cmp(self).reverse(),
            // JSON allows no leading zeros, so the longer one is the larger.
            (Self::Big(a), Self::Big(b)) => match (self.is_negative(), other.is_negative()) {
                (false, false) => (a.len(), a).cmp(&(b.len(), b)),
                (true, true) => (b.len(), b).cmp(&(a.len(), a)),
                (negative, _) => {
                    if negative {
                        Ordering::Less
                    } else {
                        Ordering::Greater
                    }
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_doubled_name_the_last_counts() {
        let object = Object::of(br#"{"a": 1, "b": 2, "\u0061": 3, "c": {"a": [1, 2]}, "b": "x"}"#);
        assert_eq!(object.int("a"), Some(3));
        assert_eq!(object.text("b").as_deref(), Some(&b"x"[..]));
        assert_eq!(object.len(), 3);
        assert_eq!(object.get("c"), Some(&br#"{"a": [1, 2]}"#[..]));
        let many: String = (0..100).map(|at| format!("\"n{}\":{at},", at % 50)).collect();
        let many = format!("{{{}\"end\":0}}", many);
        let object = Object::of(many.as_bytes());
        assert_eq!((object.len(), object.int("n7")), (51, Some(57)));
    }

    #[test]
    fn whole_numbers_compare_by_value() {
        let ascending = [
            "-100000000000000000000000",
            "-99999999999999999999999",
            "-9223372036854775809",
            "-9223372036854775808",
            "-1",
            "0",
            "9223372036854775807",
            "9223372036854775808",
            "99999999999999999999999",
            "100000000000000000000000",
        ];
        for (at, a) in ascending.iter().enumerate() {
            for (bt, b) in ascending.iter().enumerate() {
                let of = |text: &'static str| Whole::of(text.as_bytes()).expect("an integer");
                assert_eq!(of(a).cmp(&of(b)), at.cmp(&bt), "{a} {b}");
            }
        }
        assert_eq!(Whole::of(b"1.0"), None);
        assert_eq!(Whole::of(b"true"), None);
    }
}
