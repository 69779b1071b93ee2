//! A small continuous-batching engine that drives the recorder as a real one does: sample epochs, demonstrations and
//! load tests come from the code path that real logs come from.
//!
//! [`presets`] lists what can be shown, [`generate`] writes one as an epoch into a file system: a folder on disk, or
//! memory. One seed gives one result, to the byte, natively and in wasm: all times and choices are integers, the
//! engine lives in a time of its own, and nothing depends on the order of a hash table.
//!
//! ```
//! use stepscope_recorder::MemoryFiles;
//! use stepscope_simulate::{Options, generate};
//! let mut files = MemoryFiles::new();
//! let summary = generate("interference", &Options::default(), &mut files)?;
//! assert_eq!(summary.requests, 2);
//! assert!(files.into_files().iter().any(|(path, _)| path.ends_with("000000.jsonl")));
//! # Ok::<(), stepscope_simulate::SimulateError>(())
//! ```

mod blocks;
mod config;
mod dying;
mod engine;
mod presets;
mod random;
mod request;
mod scheduler;
mod script;
mod step;
mod step_time;
mod workload;

use std::path::PathBuf;

use stepscope_recorder::FileSystem;

pub use presets::{Preset, presets};

/// What may be asked of a preset.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The hook directory to write into.
    pub root: PathBuf,
    /// The same seed gives the same bytes.
    pub seed: u64,
    /// For how many seconds requests arrive. Only for adjustable presets, as the rest.
    pub seconds: Option<f64>,
    /// Requests per second. Clients no longer wait for their answers then.
    pub rate: Option<f64>,
    /// The epoch ends once it has so many bytes of records; without `seconds`, requests arrive until then.
    pub size_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { root: PathBuf::from("hook"), seed: 1, seconds: None, rate: None, size_bytes: None }
    }
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The epoch's directory.
    pub directory: PathBuf,
    /// Requests admitted.
    pub requests: u64,
    /// Steps completed.
    pub steps: u64,
    /// Records written.
    pub records: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Records lost.
    pub dropped: u64,
    /// The epoch's length in its own time, ns.
    pub duration_ns: i64,
}

/// Why nothing was made.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// No preset has this name.
    #[error("there is no preset {0:?}")]
    NoSuchPreset(String),
    /// The preset has fixed times and counts.
    #[error("{0} has fixed times and counts: seconds, rate and size cannot be chosen")]
    NotAdjustable(&'static str),
    /// Seconds or rate are not positive numbers.
    #[error("{0} must be a positive number")]
    OutOfRange(&'static str),
    /// The epoch could not be written.
    #[error("the epoch could not be written: {0}")]
    Io(#[from] std::io::Error),
}

/// Writes the epoch of a preset into `files`.
pub fn generate(
    preset: &str,
    options: &Options,
    files: &mut dyn FileSystem,
) -> Result<Summary, SimulateError> {
    let plan = presets::plan(preset, options)?;
    engine::Engine::new(preset, plan, options.seed, &options.root, files)?.run()
}
