//! The Parquet tables (`docs/parquet.md`).
#![cfg(feature = "parquet")]

mod common;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use common::{EPOCH, epoch, options, worked_log};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use stepscope_artifact::tables::{Kind, TableName, partition, write_tables};
use stepscope_artifact::{Alone, RunName};
use stepscope_diagnose::{Config, Steps, judge};

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("alone").write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

type Row = BTreeMap<String, Field>;

/// The rows of every table of the worked log.
fn tables(key: bool, thresholds_ns: i64) -> BTreeMap<&'static str, Vec<Row>> {
    let epochs = [epoch(EPOCH, &worked_log(), key, None)];
    let name = RunName { run_id: "run1".to_owned(), session_id: "sess1".to_owned() };
    let alone = Alone::reduce(&epochs, &name, &options()).expect("reduced");
    let reduction = alone.reduced.epochs[0].as_ref().expect("an engine");
    let low = |name: &str| (format!("host_stall.{name}"), thresholds_ns as f64);
    let thresholds =
        stepscope_diagnose::Thresholds::with_overrides(&[low("no_baseline_floor_ns"), low("stall_floor_ns")]);
    let config = Config { thresholds: thresholds.expect("allowed"), ..Config::default() };
    let steps = Steps::of(&epochs[0], &config);
    let stalls: Vec<_> = judge(&epochs[0], &steps, &config).over_limit().copied().collect();
    let mut sinks = Vec::new();
    let counts = write_tables(&epochs[0], reduction, &steps, &stalls, &mut |name| {
        let sink = Sink::default();
        sinks.push((name, sink.clone()));
        Ok(sink)
    });
    let counts = counts.expect("written");
    let read = |(name, sink): &(TableName, Sink)| {
        let bytes = bytes::Bytes::from(sink.0.lock().expect("alone").clone());
        let reader = SerializedFileReader::new(bytes).expect("Parquet");
        let schema = reader.metadata().file_metadata().schema_descr();
        let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
        let expected: Vec<&str> = name.columns().iter().map(|column| column.name).collect();
        assert_eq!(names, expected);
        let rows = reader.get_row_iter(None).expect("rows").map(|row| {
            let row = row.expect("a row");
            row.get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect()
        });
        (name.name(), rows.collect::<Vec<Row>>())
    };
    let tables: BTreeMap<_, Vec<Row>> = sinks.iter().map(read).collect();
    for (name, count) in TableName::ALL.iter().zip(counts) {
        assert_eq!(tables[name.name()].len() as u64, count);
    }
    tables
}

#[test]
fn the_worked_log_has_its_rows() {
    let tables = tables(true, 8);
    let count: Vec<usize> = TableName::ALL.iter().map(|name| tables[name.name()].len()).collect();
    assert_eq!(count, [3, 5, 2, 0, 5]);
    let step = &tables["steps"][0];
    assert_eq!(step["iteration"], Field::Str("0".to_owned()));
    assert_eq!(step["number"], Field::Long(0));
    assert_eq!(step["residence_ns"], Field::Long(20));
    assert_eq!(step["start_wall_ns"], Field::Long(1020));
    assert_eq!(step["schedule_end_ns"], Field::Long(125));
    assert_eq!(step["zero_token"], Field::Bool(false));
    assert_eq!(step["incomplete_reason"], Field::Null);
    let roles: Vec<&Field> = tables["memberships"].iter().map(|row| &row["role"]).collect();
    let roles: Vec<String> = roles.iter().map(ToString::to_string).collect();
    assert_eq!(
        roles,
        ["prefill", "prefill", "decode", "spec_decode", "decode"].map(|role| format!("\"{role}\""))
    );
    let ended: Vec<&Row> =
        tables["memberships"].iter().filter(|row| row["end_status"] != Field::Null).collect();
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0]["end_in_step"], Field::Bool(true));
    assert_eq!(ended[0]["end_ns"], Field::Long(160));
    assert_eq!(tables["requests"][0]["input_tokens"], Field::Long(8));
    let stall = &tables["stalls"][0];
    assert_eq!(stall["locus"], Field::Str("between_steps".to_owned()));
    assert_eq!((&stall["duration_ns"], &stall["limit_ns"]), (&Field::Long(10), &Field::Double(8.0)));
    assert_eq!(stall["iteration_before"], Field::Str("0".to_owned()));
    assert_eq!(stall["iteration"], Field::Str("1".to_owned()));
}

#[test]
fn without_a_key_nothing_of_others_is_in_them() {
    let tables = tables(false, 8);
    assert!(tables["steps"].is_empty() && tables["memberships"].is_empty() && tables["requests"].is_empty());
}

#[test]
fn every_column_is_documented_with_its_type() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/parquet.md");
    let text = std::fs::read_to_string(path).expect("the documentation");
    let mut documented: BTreeMap<&str, Vec<(String, String, bool)>> = BTreeMap::new();
    let mut table = "";
    for line in text.lines() {
        table = line.strip_prefix("## ").unwrap_or(table);
        let Some((names, rest)) = line.strip_prefix("| ").and_then(|row| row.split_once(" | ")) else {
            continue;
        };
        let kind = rest.split(" |").next().unwrap_or_default();
        for name in names.split(", ").filter(|name| name.contains('`')) {
            let required = name.starts_with("**");
            let bare = name.trim_matches('*').trim_matches('`');
            documented.entry(table).or_default().push((bare.to_owned(), kind.to_owned(), required));
        }
    }
    let kind = |kind| match kind {
        Kind::Text => "text",
        Kind::Int => "int",
        Kind::Float => "float",
        Kind::Flag => "flag",
    };
    for name in TableName::ALL {
        let columns = name.columns().iter();
        let expected: Vec<_> = columns
            .map(|column| (column.name.to_owned(), kind(column.kind).to_owned(), column.required))
            .collect();
        assert_eq!(documented[name.name()], expected, "{}", name.name());
    }
}

#[test]
fn partitions_are_names_any_system_takes() {
    assert_eq!(partition("engine-7-100"), "epoch=engine-7-100");
    assert_eq!(partition("../a b=ü"), "epoch=..%2Fa%20b%3D%C3%BC");
    assert_eq!(partition(""), "epoch=__HIVE_DEFAULT_PARTITION__");
}
