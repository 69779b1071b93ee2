//! The writing half of the execution log: snapshots of an engine's admissions, scheduled steps, their outputs and
//! exits become the records of an epoch on disk, without the engine ever waiting.
//!
//! - [`EngineRecorder`] turns the events of one scheduler into records. It knows the engine only through the traits of
//!   [`engine`] and allocates nothing per member once warm.
//! - [`WorkerRecorder`] keeps a worker's three counters and runs its calls inside ranges named by the step.
//! - [`Writer`] and [`WriterLoop`] queue, number, write, seal, count and close an epoch.
//! - [`conform()`] plays a written history of an engine and gives the records it makes.
//!
//! Clocks, process facts and the file system are injected ([`Clock`], [`Process`], [`FileSystem`]). The real ones are
//! [`SystemClock`], [`SystemProcess`] and [`Disk`]; in wasm there are only [`ManualClock`], [`FixedProcess`] and
//! [`MemoryFiles`], and the loop is turned by hand.
//!
//! [`SystemClock`]: clock::SystemClock
//! [`SystemProcess`]: process::SystemProcess
//! [`Disk`]: files::Disk
//!
//! ```
//! # use std::{path::Path, sync::Arc};
//! use stepscope_recorder::*;
//! let clock = Arc::new(ManualClock::new(1_790_000_000_000_000_000, 5));
//! let process = FixedProcess { pid: 812, host: "node-7".into(), boot_id: None, key: [7; 32] };
//! let (writer, mut epoch) = Writer::create(
//!     MemoryFiles::new(), Path::new("hook"), Role::Engine, Limits::default(), clock, Arc::new(process),
//! )?;
//! writer.emit_hello(&Hello::default());
//! writer.close();
//! assert!(epoch.drain());
//! let files = epoch.into_files().into_files();
//! assert!(files[0].0.ends_with("node-7-noboot/engine-812-1790000000000000000/000000.jsonl"));
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod clock;
pub mod conform;
pub mod engine;
pub mod files;
mod json;
pub mod process;
pub mod record;
pub mod settings;
pub mod worker;
pub mod writer;

pub use clock::{Clock, ManualClock, Stamp};
pub use conform::conform;
pub use engine::EngineRecorder;
pub use files::{FileSystem, MemoryFiles};
pub use json::Encoder;
pub use process::{FixedProcess, Process};
pub use record::{Fields, Hello, Kind, NotEncodable, OptionalKind, Value};
pub use settings::Settings;
pub use worker::WorkerRecorder;
pub use writer::{Counters, Limits, ProcessWriters, Role, StatusSource, Ticket, Writer, WriterLoop};
