//! The command line's words.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// See which requests ran together in every step of a vLLM server, and where its engine stalled.
///
/// PATH is what the execution hook wrote: the folder that STORMLOG_VLLM_HOOK_DIR names, one of its host folders, an
/// epoch folder such as engine-812-1796066465271514827, loose segments, or any of these in a .zip, .tar or .tar.gz.
#[derive(Parser)]
#[command(
    version,
    after_help = "Exit codes: 0 done; 2 the command line is wrong; 5 the input cannot be read."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Threads that read segments; 0: one for each core.
    #[arg(long, global = true, default_value_t = 0, value_name = "N", value_parser = threads)]
    pub(crate) threads: usize,
}

/// More threads than any machine has cores only take it down.
const MOST_THREADS: usize = 256;

fn threads(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|&count| count <= MOST_THREADS);
    count.ok_or_else(|| format!("a number from 0 to {MOST_THREADS} is needed"))
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// What happened, in a few lines to paste into an incident channel.
    ///
    /// Judged by the corrected rules at the log's last heartbeat; a line says where the reference's verdict differs.
    /// Of an artifact: what it kept of each engine.
    Summary {
        /// The log, or an artifact: a .jsonl or .jsonl.gz that `reduce` or stormlog wrote.
        path: PathBuf,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// The verdict on the engine loop: which stalls are over their limit, and whose they are.
    ///
    /// Of an artifact the stalls are rebuilt from the steps it kept. Where steps are missing in a stall, this is said,
    /// and the corrected rules leave it out.
    Diagnose {
        /// The log, or an artifact: a .jsonl or .jsonl.gz that `reduce` or stormlog wrote.
        path: PathBuf,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
        /// Whose rules: the reference's, value for value, or the corrected ones.
        #[arg(long, value_enum, default_value_t = RuleSet::Reference)]
        rules: RuleSet,
        /// Override a threshold, for instance host_stall.stall_factor=5; may be repeated.
        #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
        threshold: Vec<(String, f64)>,
        /// When the log is judged, wall ns since 1970: a stall may still be going on.
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        now_wall_ns: Option<i64>,
    },
    /// Reduce a log to canonical records: one artifact that other programs read and continue.
    ///
    /// A refused import, and one that is killed, leaves every file as it was.
    Reduce {
        /// The log.
        path: PathBuf,
        /// Write an artifact of the log alone; gzipped when the name ends in .gz.
        #[arg(short, long, value_name = "FILE", conflicts_with = "into")]
        output: Option<PathBuf>,
        /// Import into a client's artifact, which grows, and note it in stormlog_run.json beside it.
        #[arg(long, value_name = "ARTIFACT")]
        into: Option<PathBuf>,
        /// Write tables of the log alone as Parquet files into a new folder: steps, memberships, requests, stages and
        /// stalls, each in a folder of its own, partitioned by epoch.
        #[arg(long, value_name = "DIR", conflicts_with = "into")]
        parquet: Option<PathBuf>,
        /// Write other clients' request IDs as they are, not as keyed pseudonyms.
        #[arg(long)]
        raw_foreign_ids: bool,
        /// The recorded server is known not to run any more: nothing more will come.
        #[arg(long)]
        server_stopped: bool,
        /// Whose rules: the reference's, value for value, or the corrected ones.
        #[arg(long, value_enum, default_value_t = RuleSet::Reference)]
        rules: RuleSet,
    },
    /// Write a sample epoch: a simulated engine drives the recorder. Without a preset, list them.
    ///
    /// One seed gives one epoch, to the byte.
    Simulate {
        /// What to show.
        preset: Option<String>,
        /// The folder to write the hook directory into.
        #[arg(short, long, value_name = "DIR", default_value = "hook")]
        output: PathBuf,
        /// For how many seconds requests arrive.
        #[arg(long, value_name = "N")]
        seconds: Option<f64>,
        /// Requests a second.
        #[arg(long, value_name = "R")]
        rate: Option<f64>,
        /// The same seed gives the same bytes.
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// How much to write, for instance 256MB.
        #[arg(long, value_parser = crate::commands::simulate::size)]
        size: Option<u64>,
    },
    /// Answer conformance cases: the members of each case's expected.json, one JSON object a line; of a recorder case,
    /// its records.
    Conform {
        /// Folders with case.json and log/, or files of recorder cases.
        #[arg(required = true)]
        cases: Vec<PathBuf>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum RuleSet {
    Reference,
    Corrected,
}

fn key_value(text: &str) -> Result<(String, f64), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    // What is no number is refused with the finite-number error of the thresholds themselves.
    Ok((key.to_owned(), value.parse().unwrap_or(f64::NAN)))
}
