//! Who recorded an epoch, and with which clocks (`reduce.md` §3).

use stepscope_epoch_log::json::{Value, text_of};
use stepscope_epoch_log::{Epoch, Kind};

use crate::facts::{Options, Rules, RunFacts};
use crate::pseudonym::Pseudonyms;
use crate::record::{Context, Text};

pub(crate) struct Identity {
    pub(crate) context: Context,
    /// Wall domain (I3).
    pub(crate) wall_domain: Text,
    /// I4.
    pub(crate) randomization: Option<bool>,
    /// `hello.config`, when it is an object; else an empty one.
    pub(crate) config: Value,
    /// Whether `hello.config` was set and no object.
    pub(crate) odd_config: bool,
    /// Whether the engine says that it records its cache resets.
    pub(crate) reset_observed: bool,
    /// `None` without a key.
    pub(crate) pseudonyms: Option<Pseudonyms>,
    pub(crate) raw_foreign_ids: bool,
    pub(crate) rules: Rules,
}

fn text(value: Option<&Value>) -> Option<Text> {
    match value {
        Some(Value::String(bytes)) if !bytes.is_empty() => Some(bytes.clone()),
        _ => None,
    }
}

fn joined(parts: &[&[u8]]) -> Text {
    parts.concat()
}

impl Identity {
    pub(crate) fn of(epoch: &Epoch, facts: &RunFacts, options: &Options) -> Self {
        let hello = epoch.hello.as_ref().and_then(|hello| Value::parse(&hello.json).ok());
        let field = |name: &str| hello.as_ref().and_then(|hello| hello.get(name));
        let producer_id = match field("producer") {
            Some(value) if value.is_set() => text_of(value.to_json().as_bytes()),
            _ => joined(&[b"vllm:", epoch.name.text.as_bytes()]),
        };
        let host = text(field("host"))
            .or_else(|| Some(epoch.host_boot.clone().into_bytes()).filter(|host| !host.is_empty()))
            .unwrap_or_else(|| b"unknown-host".to_vec());
        let boot = text(field("boot_id")).unwrap_or_else(|| b"unknown-boot".to_vec());
        let config = field("config").filter(|config| config.is_set());
        let (config, odd_config) = match config {
            None => (Value::Object(Vec::new()), false),
            Some(config @ Value::Object(_)) => (config.clone(), false),
            Some(odd) => (pairs(odd, options.rules).unwrap_or(Value::Object(Vec::new())), true),
        };
        let context = Context {
            run_id: facts.run_id.clone(),
            session_id: facts.session_id.clone(),
            producer_id,
            source_version: options.source_version.clone(),
            engine_version: text(field("vllm_version")),
            clock_domain: joined(&[&host, b"/", &boot, b"/monotonic_ns"]),
            pid: epoch.name.pid.clone(),
            host,
        };
        Self {
            wall_domain: joined(&[&context.host, b"/", &boot, b"/unix_epoch_ns"]),
            randomization: field("config")
                .and_then(|config| config.get("request_id_randomization"))
                .and_then(Value::flag),
            config,
            odd_config,
            reset_observed: matches!(field("observes"), Some(Value::Array(kinds))
                if kinds.iter().any(|kind| kind.text().as_deref() == Some(Kind::CacheReset.name()))),
            pseudonyms: epoch.key.as_ref().and_then(|key| Pseudonyms::new(key, &facts.run_id)),
            raw_foreign_ids: options.raw_foreign_ids,
            rules: options.rules,
            context,
        }
    }

    pub(crate) fn producer(&self) -> &[u8] {
        &self.context.producer_id
    }

    /// I5: other clients' requests get no record.
    pub(crate) fn withholding(&self) -> bool {
        self.pseudonyms.is_none() && !self.raw_foreign_ids
    }

    /// P4.
    pub(crate) fn foreign_ids(&self) -> &'static str {
        match (self.raw_foreign_ids, &self.pseudonyms) {
            (true, _) => "raw",
            (false, Some(_)) => "pseudonym",
            (false, None) => "withheld",
        }
    }

    pub(crate) fn corrected(&self) -> bool {
        self.rules == Rules::Corrected
    }
}

/// What the reference makes of a `config` that is a list of pairs: names and values.
fn pairs(config: &Value, rules: Rules) -> Option<Value> {
    let Value::Array(items) = config else { return None };
    if rules == Rules::Corrected {
        return None;
    }
    let mut fields: Vec<(Value, Value)> = Vec::new();
    for item in items {
        let (name, value) = pair(item)?;
        // Names that are equal by value are one.
        let same = name.canonical();
        match fields.iter_mut().find(|field| field.0.canonical() == same) {
            Some(field) => field.1 = value,
            None => fields.push((name, value)),
        }
    }
    let named = fields.into_iter().map(|(name, value)| {
        let name = match name {
            Value::String(name) => name,
            other => other.to_json().into_bytes(),
        };
        (name, value)
    });
    Some(Value::Object(named.collect()))
}

/// An array of two, a text of two characters, or the names of an object of two; the first must be able to be a name.
fn pair(item: &Value) -> Option<(Value, Value)> {
    let both = match item {
        Value::Array(both) => both.clone(),
        Value::Object(fields) => fields.iter().map(|field| Value::String(field.0.clone())).collect(),
        Value::String(text) => {
            let characters = std::str::from_utf8(text).ok()?.chars();
            characters.map(|character| Value::String(character.to_string().into_bytes())).collect()
        }
        _ => return None,
    };
    match <[Value; 2]>::try_from(both) {
        Ok([Value::Array(_) | Value::Object(_), _]) | Err(_) => None,
        Ok([name, value]) => Some((name, value)),
    }
}
