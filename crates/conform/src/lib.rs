//! Answers a conformance case: the members of its `expected.json`, as the reader, the reducer and
//! the diagnoser find them.

use stepscope_diagnose::{Config, ThresholdError, Thresholds, conformance};
use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::source::{EntryKind, ReadFailure, Source, discover, one_by_one, read_epoch};
use stepscope_epoch_log::{Epoch, Importer, ReadOptions, Role};
use stepscope_reduce::{Options, ReadReduction, RefBuf, RunFacts, RunRequest, Window};

/// Answers one case as one line of JSON. `source` is the case's folder: `case.json` and the logs.
///
/// # Errors
/// In words: the folder is no case, or its log is no folder.
pub fn conform(source: &dyn Source) -> Result<String, String> {
    let description = parse(source, "case.json")?;
    let Some(Value::Array(imports)) = description.get("imports") else {
        return Err("case.json has no imports".to_owned());
    };
    let mut facts = description.get("facts").map(run_facts).unwrap_or_default();
    let mut answers = Vec::new();
    let mut marks: Vec<(String, i64)> = Vec::new();
    for import in imports {
        let (notes, epochs) = epochs(&log(source, import), import, &marks)?;
        let options = Options {
            raw_foreign_ids: import.get("raw_foreign_ids").is_some_and(Value::is_set),
            source_version: env!("CARGO_PKG_VERSION").into(),
            ..Options::default()
        };
        let reduction = ReadReduction::of(&epochs, &facts, &options);
        let read = read_answer(notes, &epochs).to_json();
        let reduced = stepscope_reduce::conform(&epochs, &reduction);
        answers.push(format!("{{\"read\":{read},\"reduce\":{reduced}}}"));
        reduction.each_record(&epochs, &mut |_, record| facts.add_written(record));
        raise_marks(&mut marks, reduction.high_water(&epochs));
    }
    let last = imports.last().ok_or("case.json has no import")?;
    let diagnosed = diagnose(&log(source, last), last, &description)?;
    let answers = answers.join(",");
    Ok(format!("{{\"imports\":[{answers}],\"diagnose\":{diagnosed}}}"))
}

/// A folder of a source as a source of its own.
struct Folder<'a> {
    source: &'a dyn Source,
    path: String,
}

impl Folder<'_> {
    fn below(&self, path: &str) -> String {
        if path.is_empty() { self.path.clone() } else { format!("{}/{path}", self.path) }
    }
}

impl Source for Folder<'_> {
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String> {
        self.source.list(&self.below(directory))
    }

    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure> {
        self.source.read(&self.below(path), take)
    }
}

fn log<'a>(source: &'a dyn Source, import: &Value) -> Folder<'a> {
    Folder { source, path: import.get("log").and_then(Value::string).unwrap_or_default() }
}

fn parse(source: &dyn Source, path: &str) -> Result<Value, String> {
    let mut bytes = Vec::new();
    match source.read(path, &mut |chunk| bytes.extend_from_slice(chunk)) {
        Ok(()) => Value::parse(&bytes).map_err(|fault| format!("{path}: {fault}")),
        Err(ReadFailure::Gone(why) | ReadFailure::Torn(why) | ReadFailure::Other(why)) => {
            Err(format!("{path}: {why}"))
        }
    }
}

fn options(import: &Value, mark: Option<i64>) -> ReadOptions {
    let importer = import.get("importer");
    let field = |name: &str| importer.and_then(|importer| importer.get(name));
    ReadOptions {
        importer: Importer {
            host: field("host").and_then(Value::string).unwrap_or_default(),
            boot_id: field("boot_id").and_then(Value::string),
            monotonic_ns: field("monotonic_ns").and_then(Value::int).unwrap_or(0),
        },
        server_stopped: import.get("server_stopped").is_some_and(Value::is_set),
        mark,
    }
}

fn epochs(log: &Folder<'_>, import: &Value, marks: &[(String, i64)]) -> Result<(usize, Vec<Epoch>), String> {
    let discovery = discover(log).map_err(|error| format!("{}: {error}", log.path))?;
    let epochs = discovery.epochs.iter().map(|found| {
        let mark = marks.iter().find(|(epoch, _)| *epoch == found.epoch).map(|(_, mark)| *mark);
        read_epoch(log, found, &options(import, mark), &one_by_one)
    });
    Ok((discovery.notes.len(), epochs.collect()))
}

fn read_answer(notes: usize, epochs: &[Epoch]) -> Value {
    let summaries = epochs.iter().map(|epoch| {
        let Value::Object(mut summary) = epoch.summary() else { return (Vec::new(), Value::Null) };
        let places = epoch.reader_errors().map(|problem| Value::from(problem.place().as_str())).collect();
        if let Some(errors) = summary.iter_mut().find(|field| field.0 == b"errors") {
            errors.1 = places;
        }
        (epoch.name.text.as_bytes().to_vec(), Value::Object(summary))
    });
    Value::Object(vec![
        (b"notes".to_vec(), (notes as i64).into()),
        (b"epochs".to_vec(), Value::Object(summaries.collect())),
    ])
}

/// A later import goes on after the largest mark of those before it.
fn raise_marks(marks: &mut Vec<(String, i64)>, high_water: Vec<(String, i64)>) {
    for (epoch, mark) in high_water {
        match marks.iter_mut().find(|(name, _)| *name == epoch) {
            Some((_, known)) => *known = mark.max(*known),
            None => marks.push((epoch, mark)),
        }
    }
}

/// What the case says of the run; nothing is written yet.
fn run_facts(described: &Value) -> RunFacts {
    let text = |value: &Value, name: &str| match value.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    let list = |name: &str| match described.get(name) {
        Some(Value::Array(items)) => items.as_slice(),
        _ => &[],
    };
    let request = |item: &Value| {
        let request = RunRequest {
            request_id: text(item, "request_id")?,
            x_request_id: text(item, "x_request_id")?,
            case_id: text(item, "case_id"),
            phase: text(item, "phase"),
        };
        Some((request.x_request_id.clone(), request))
    };
    let window = |item: &Value| {
        let end = |name| item.get(name).and_then(Value::int);
        Some(Window { start_ns: end("start_ns")?, end_ns: end("end_ns")? })
    };
    let reference =
        |item: &Value| Some(RefBuf { producer_id: text(item, "producer_id")?, id: text(item, "id")? });
    RunFacts {
        run_id: text(described, "run_id").unwrap_or_default(),
        session_id: text(described, "session_id").unwrap_or_default(),
        client_clock_domain: text(described, "client_clock_domain"),
        requests: list("requests").iter().filter_map(request).collect(),
        windows: list("windows").iter().filter_map(window).collect(),
        referenced_iterations: list("referenced_iterations").iter().filter_map(reference).collect(),
        ..RunFacts::default()
    }
}

/// The object `diagnose`: every engine epoch of the last log, read without marks.
fn diagnose(log: &Folder<'_>, import: &Value, description: &Value) -> Result<String, String> {
    let configs: Vec<(String, Result<Config, ThresholdError>)> = match description.get("loop") {
        Some(Value::Array(configs)) => configs.iter().map(config).collect(),
        _ => Vec::new(),
    };
    let (_, epochs) = epochs(log, import, &[])?;
    let mut answers = Vec::new();
    for epoch in epochs.iter().filter(|epoch| epoch.name.role == Role::Engine) {
        let answer =
            serde_json::to_string(&conformance(epoch, &configs)).map_err(|error| error.to_string())?;
        answers.push(format!("{}:{answer}", Value::from(epoch.name.text.as_str()).to_json()));
    }
    Ok(format!("{{{}}}", answers.join(",")))
}

/// One configuration of the verdict, by its name.
fn config(described: &Value) -> (String, Result<Config, ThresholdError>) {
    let name = described.get("name").and_then(Value::string).unwrap_or_default();
    let flag = |name: &str| described.get(name).is_some_and(Value::is_set);
    let overrides: Vec<(String, f64)> = match described.get("thresholds") {
        Some(Value::Object(values)) => values
            .iter()
            .map(|(key, value)| {
                (String::from_utf8_lossy(key).into_owned(), value.number().unwrap_or(f64::NAN))
            })
            .collect(),
        _ => Vec::new(),
    };
    let exclude_wall = match described.get("exclude_wall") {
        Some(Value::Array(pairs)) => pairs.iter().filter_map(interval).collect(),
        _ => Vec::new(),
    };
    let config = Thresholds::with_overrides(&overrides).map(|thresholds| Config {
        now_wall_ns: described.get("now_wall_ns").and_then(Value::int),
        exclude_wall,
        thresholds,
        with_status: flag("with_status"),
        with_hello: flag("with_hello"),
        tail_from: described
            .get("tail_from")
            .and_then(Value::int)
            .and_then(|n| n.try_into().ok())
            .unwrap_or(0),
        ..Config::default()
    });
    (name, config)
}

fn interval(pair: &Value) -> Option<(i64, i64)> {
    match pair {
        Value::Array(ends) => match ends.as_slice() {
            [start, end] => Some((start.int()?, end.int()?)),
            _ => None,
        },
        _ => None,
    }
}
