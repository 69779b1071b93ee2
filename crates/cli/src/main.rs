//! Stepscope on the command line.

mod arguments;
mod artifact;
mod commands;
mod machine;
mod reading;
mod replace;
mod source;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use serde::Serialize;
use stepscope_diagnose::{Config, Rules, Thresholds};
use stepscope_epoch_log::ReadOptions;
use stepscope_simulate::{Options, SimulateError};

use crate::arguments::{Arguments, Command, RuleSet};
use crate::artifact::is_artifact;
use crate::commands::kept::{KeptAnswer, KeptReading, KeptSummary};
use crate::commands::summary::Summary;
use crate::reading::{Reading, read};

/// Why the program ends without an answer.
enum Failure {
    /// The command line is wrong: exit code 2.
    Usage(String),
    /// The input cannot be read: exit code 5.
    Input(String),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let answer = match run(&arguments) {
        Ok(answer) => answer,
        Err(failure) => {
            let (code, text) = match failure {
                Failure::Usage(text) => (2, text),
                Failure::Input(text) => (5, text),
            };
            eprintln!("stepscope: {text}");
            return ExitCode::from(code);
        }
    };
    // A reader that has seen enough closes the pipe; that is no failure.
    let _ = std::io::stdout().lock().write_all(answer.as_bytes());
    ExitCode::SUCCESS
}

fn run(arguments: &Arguments) -> Result<String, Failure> {
    match &arguments.command {
        Command::Summary { path, json } if is_artifact(path) => {
            let reading = KeptReading::of(path, &Config::corrected(None)).map_err(Failure::Input)?;
            let summary = KeptSummary::of(&reading);
            if *json { in_json(&summary) } else { Ok(summary.text()) }
        }
        Command::Summary { path, json } => {
            let summary = Summary::of(read_here(path, arguments.threads)?);
            if *json { in_json(&summary) } else { Ok(summary.text()) }
        }
        Command::Diagnose { path, json, rules, threshold, now_wall_ns } => {
            let thresholds =
                Thresholds::with_overrides(threshold).map_err(|error| Failure::Usage(error.to_string()))?;
            let config = Config {
                now_wall_ns: *now_wall_ns,
                thresholds,
                with_status: true,
                rules: match rules {
                    RuleSet::Reference => Rules::Reference,
                    RuleSet::Corrected => Rules::Corrected,
                },
                ..Config::default()
            };
            if is_artifact(path) {
                if now_wall_ns.is_some() {
                    let why =
                        "an artifact tells of no stall that is still going on; --now-wall-ns is for logs";
                    return Err(Failure::Usage(why.to_owned()));
                }
                let reading = KeptReading::of(path, &config).map_err(Failure::Input)?;
                let answer = KeptAnswer::of(&reading);
                return if *json { in_json(&answer) } else { Ok(answer.text()) };
            }
            let reading = read_here(path, arguments.threads)?;
            let answer = commands::diagnose::judge(&reading.epochs, &config);
            if *json { in_json(&answer) } else { Ok(answer.text()) }
        }
        Command::Reduce { path, output, into, parquet, raw_foreign_ids, server_stopped, rules } => {
            let reducing = commands::reduce::Reducing {
                path,
                raw_foreign_ids: *raw_foreign_ids,
                server_stopped: *server_stopped,
                corrected: matches!(rules, RuleSet::Corrected),
                threads: arguments.threads,
            };
            let done = match into {
                Some(artifact) => reducing.import(artifact),
                None if output.is_none() && parquet.is_none() => {
                    let ways = "give -o FILE, --parquet DIR or --into ARTIFACT".to_owned();
                    return Err(Failure::Usage(ways));
                }
                None => reducing.standalone(output.as_deref(), parquet.as_deref()),
            };
            done.map_err(Failure::Input)
        }
        Command::Simulate { preset: None, .. } => Ok(commands::simulate::list()),
        Command::Simulate { preset: Some(preset), output, seconds, rate, seed, size } => {
            let options = Options {
                root: output.clone(),
                seed: *seed,
                seconds: *seconds,
                rate: *rate,
                size_bytes: *size,
            };
            commands::simulate::simulate(preset, &options).map_err(|error| match error {
                SimulateError::Io(_) => Failure::Input(error.to_string()),
                _ => Failure::Usage(error.to_string()),
            })
        }
        Command::Conform { cases } => {
            let mut answers = String::new();
            for case in cases {
                let answer = commands::conform::answer(case);
                answers += &answer.map_err(|why| Failure::Input(format!("{}: {why}", case.display())))?;
                answers.push('\n');
            }
            Ok(answers)
        }
    }
}

fn in_json(answer: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(answer).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(text + "\n")
}

/// Reads a path as of now on this machine, and says on the error stream what was no epoch.
fn read_here(path: &std::path::Path, threads: usize) -> Result<Reading, Failure> {
    let options = ReadOptions { importer: machine::this_machine(), ..ReadOptions::default() };
    let reading = read(path, &options, &|_| None, threads).map_err(Failure::Input)?;
    for note in &reading.notes {
        eprintln!("stepscope: {note}, left out");
    }
    Ok(reading)
}
