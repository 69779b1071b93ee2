//! What the hello and the side file `status.json` say (`raw-log.md` §6.1, §7.1), as far as it is used.

use crate::json::{Fault, Value};

/// The wall and monotonic clock read together, ns; each only when it is an integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Wall clock before.
    pub wall_ns: Option<i64>,
    /// Monotonic clock.
    pub mono_ns: Option<i64>,
    /// Wall clock after.
    pub wall_after_ns: Option<i64>,
    /// Older logs: after − before.
    pub gap_ns: Option<i64>,
}

/// The hello that counts. Fields of another type than expected are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hello {
    /// Position in the epoch.
    pub seq: i64,
    /// Hostname.
    pub host: Option<String>,
    /// Boot identifier.
    pub boot_id: Option<String>,
    /// Engine version.
    pub vllm_version: Option<String>,
    /// Whether this instance is recorded.
    pub enabled: Option<bool>,
    /// Why not.
    pub refused: Option<String>,
    /// Names the engine's iterations.
    pub producer: Option<String>,
    /// The optional kinds this instance records, ascending; `None` when it does not say, or says something that
    /// is no list of strings.
    pub observes: Option<Vec<String>>,
    /// Whether `observes` is a list that holds `pause`, whatever else stands in it (`diagnose.md` R3).
    pub observes_pause: bool,
    /// The hello's own clock reading.
    pub clock: Clock,
    /// The engine's settings: path of names (`profiler.max_iterations`) and value as JSON text, `None` for null.
    pub config: Vec<(String, Option<String>)>,
    /// Worker epochs: rank, device and the like, as JSON text.
    pub worker: Vec<(String, Option<String>)>,
    /// Process start, wall ns.
    pub process_start_ns: Option<i64>,
    /// The whole record as it stands in the log.
    pub json: Vec<u8>,
}

impl Hello {
    /// The hello of a record's text; `None` when that is no JSON.
    pub fn parse(seq: i64, json: &[u8]) -> Option<Self> {
        let value = Value::parse(json).ok()?;
        let text = |name: &str| value.get(name).and_then(Value::text);
        let clock = value.get("clock");
        let part = |name: &str| clock.and_then(|clock| clock.get(name)).and_then(Value::int);
        let mut config = Vec::new();
        if let Some(settings) = value.get("config") {
            flatten("", settings, &mut config);
        }
        let mut worker = Vec::new();
        for name in ["rank", "local_rank", "cuda_ordinal", "device_uuid", "trace_rank_suffix"] {
            if let Some(field) = value.get(name) {
                flatten(name, field, &mut worker);
            }
        }
        let observes = match value.get("observes") {
            Some(Value::Array(kinds)) => Some(kinds),
            _ => None,
        };
        Some(Self {
            seq,
            host: text("host"),
            boot_id: text("boot_id"),
            vllm_version: text("vllm_version"),
            enabled: value.get("enabled").and_then(Value::flag),
            refused: text("refused"),
            producer: text("producer"),
            observes: observes.and_then(|kinds| {
                let mut kinds = kinds.iter().map(Value::string).collect::<Option<Vec<_>>>()?;
                kinds.sort();
                Some(kinds)
            }),
            observes_pause: observes
                .is_some_and(|kinds| kinds.iter().any(|kind| kind.string().as_deref() == Some("pause"))),
            clock: Clock {
                wall_ns: part("wall_ns"),
                mono_ns: part("mono_ns"),
                wall_after_ns: part("wall_after_ns"),
                gap_ns: part("gap_ns"),
            },
            config,
            worker,
            process_start_ns: value.get("process_start_ns").and_then(Value::int),
            json: json.to_vec(),
        })
    }

    /// Whether the instance says that it records a kind; `None` when it does not say what it records.
    pub fn observes(&self, kind: &str) -> Option<bool> {
        self.observes.as_ref().map(|kinds| kinds.iter().any(|observed| observed == kind))
    }

    /// A setting of the engine that is a number, also one written as text.
    pub fn setting(&self, path: &str) -> Option<i64> {
        let (_, value) = self.config.iter().find(|(name, _)| name == path)?;
        value.as_ref()?.trim_matches('"').parse().ok()
    }
}

fn flatten(path: &str, value: &Value, out: &mut Vec<(String, Option<String>)>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = String::from_utf8_lossy(name);
                let path = if path.is_empty() { name.into_owned() } else { format!("{path}.{name}") };
                flatten(&path, field, out);
            }
        }
        Value::Null => out.push((path.to_owned(), None)),
        value => out.push((path.to_owned(), Some(value.to_json()))),
    }
}

/// The writer's counters as of its last look, from `status.json`.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Wall clock, ns.
    pub wall_ns: Option<i64>,
    /// Monotonic clock, ns.
    pub mono_ns: Option<i64>,
    /// `seq` of the last record written.
    pub last_seq: Option<i64>,
    /// Whether the disk cap was reached.
    pub capped: bool,
    /// Records dropped, by drop name; empty when the file holds no object there (`reading.md` Z-2).
    pub dropped: Vec<(String, i64)>,
    /// Errors of the writer.
    pub errors: Option<i64>,
    /// The whole file, for the values that the summary passes on as they are.
    pub json: Vec<u8>,
}

impl Status {
    /// Reads the file (`reading.md` §8); `Ok(None)` when it is JSON but no object.
    ///
    /// # Errors
    /// [`Fault`] when it is not JSON.
    pub fn parse(json: &[u8]) -> Result<Option<Self>, Fault> {
        let value = Value::parse_strict(json)?;
        if !matches!(value, Value::Object(_)) {
            return Ok(None);
        }
        let int = |name: &str| value.get(name).and_then(Value::int);
        let dropped = match value.get("dropped") {
            Some(Value::Object(counts)) => counts
                .iter()
                .filter_map(|(name, count)| Some((String::from_utf8_lossy(name).into_owned(), count.int()?)))
                .collect(),
            _ => Vec::new(),
        };
        Ok(Some(Self {
            wall_ns: int("wall_ns"),
            mono_ns: int("mono_ns"),
            last_seq: int("last_seq"),
            capped: value.get("capped").is_some_and(Value::is_set),
            dropped,
            errors: int("errors"),
            json: json.to_vec(),
        }))
    }

    /// A field as it stands in the file; null when absent.
    pub fn field(&self, name: &str) -> Value {
        Value::parse_strict(&self.json).ok().and_then(|value| value.get(name).cloned()).unwrap_or(Value::Null)
    }
}
