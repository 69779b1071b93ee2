//! The `hello` record (`raw-log.md` §6.1): who writes this epoch, and what it will and will not hold.

use super::{Fields, NotEncodable, Value};
use crate::clock::Stamp;
use crate::json::Encoder;
use crate::process::ProcessStart;
use crate::writer::{Role, Writer};

/// The fields of `hello.config` in the order they are written (`raw-log.md` §6.1.1). Any may be left out of
/// [`Hello::config`]; it is then null.
pub const CONFIG_FIELDS: [&str; 21] = [
    "vllm_version",
    "executor",
    "tp",
    "pp",
    "dp",
    "async_scheduling",
    "max_num_batched_tokens",
    "speculative",
    "v2_model_runner",
    "request_id_randomization",
    "scheduler",
    "runner",
    "max_num_seqs",
    "num_gpu_blocks",
    "kv_cache_groups",
    "block_size",
    "cudagraph_mode",
    "gpu_memory_utilization",
    "enable_cumem_allocator",
    "enable_sleep_mode",
    "profiler",
];

/// A kind that an engine may lack the call for (`record.md` E1). In the order `hello.observes` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionalKind {
    /// Prefix-cache resets.
    CacheReset,
    /// Hand-over of a request to the scheduler.
    Enqueued,
    /// Changes of the pause state.
    Pause,
}

impl OptionalKind {
    fn name(self) -> &'static str {
        match self {
            Self::CacheReset => "cache_reset",
            Self::Enqueued => "enqueued",
            Self::Pause => "pause",
        }
    }
}

/// Where a worker runs: what only a worker's hello says.
#[derive(Debug, Clone, Default)]
pub struct WorkerPlace {
    /// Rank over all workers.
    pub global_rank: Option<i64>,
    /// Rank among tensor-parallel workers.
    pub tp_rank: Option<i64>,
    /// Rank among pipeline stages.
    pub pp_rank: Option<i64>,
    /// Rank among data-parallel engines.
    pub dp_rank: Option<i64>,
    /// Rank on this host.
    pub local_rank: Option<i64>,
    /// Device index inside the process.
    pub cuda_ordinal: Option<i64>,
    /// Device UUID as the driver tells it; `GPU-` is put in front when it has no known prefix.
    pub device_uuid: Option<String>,
    /// The suffix the engine puts on this rank's trace file.
    pub trace_rank_suffix: Option<String>,
}

/// What the instance says of itself. The rest of the record (host, process, clock) comes from the writer.
#[derive(Debug, Default)]
pub struct Hello {
    /// Version of the engine.
    pub vllm_version: Option<String>,
    /// Why the instance is not recorded; reasons joined by `; `. `None` when it is (`raw-log.md` §6.1.2).
    pub refused: Option<String>,
    /// The optional kinds that are attached. Not written unless enabled, and never for a worker.
    pub observes: Vec<OptionalKind>,
    /// Settings by the names of [`CONFIG_FIELDS`]; other names are not written.
    pub config: Vec<(&'static str, Value)>,
    /// Start of the recording process and of its parent.
    pub process: ProcessStart,
    /// Only for a worker.
    pub worker: Option<WorkerPlace>,
}

/// The name an engine's iterations carry everywhere: `vllm:<host>:<boot or noboot>:<pid>:<start_ns>`.
pub fn producer_name(host: &str, boot_id: Option<&str>, pid: u32, start_ns: i64) -> String {
    format!("vllm:{host}:{}:{pid}:{start_ns}", boot_id.unwrap_or("noboot"))
}

/// A hello together with the writer it goes to and the clock it was read at.
pub(crate) struct HelloFields<'h> {
    pub(crate) hello: &'h Hello,
    pub(crate) writer: &'h Writer,
    pub(crate) clock: Stamp,
}

impl Fields for HelloFields<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        let Self { hello, writer, clock } = self;
        let identity = writer.identity();
        let enabled = hello.refused.is_none();
        let engine = identity.role == Role::Engine;
        out.raw("{\"role\":").string(identity.role.name());
        out.raw(",\"host\":").string(&identity.host);
        out.raw(",\"boot_id\":").opt_string(identity.boot_id.as_deref());
        out.raw(",\"pid\":").int(identity.pid.into());
        out.raw(",\"start_ns\":").int(identity.start_ns);
        out.raw(",\"process_start_ns\":").opt_int(hello.process.start_ns);
        out.raw(",\"process_start_ticks\":").opt_int(hello.process.start_ticks);
        out.raw(",\"parent_pid\":").int(hello.process.parent_pid);
        out.raw(",\"parent_process_start_ticks\":").opt_int(hello.process.parent_start_ticks);
        out.raw(",\"parent_process_start_ns\":").opt_int(hello.process.parent_start_ns);
        out.raw(",\"vllm_version\":").opt_string(hello.vllm_version.as_deref());
        out.raw(",\"enabled\":").bool(enabled);
        out.raw(",\"refused\":").opt_string(hello.refused.as_deref());
        out.raw(",\"producer\":").opt_string(engine.then(|| identity.producer()).as_deref());
        let mut observes = hello.observes.clone();
        observes.sort_unstable();
        observes.dedup();
        observes.retain(|_| enabled && engine);
        out.raw(",\"observes\":").strings(observes.iter().map(|kind| kind.name()));
        out.raw(",\"config\":{");
        for (index, name) in CONFIG_FIELDS.into_iter().enumerate() {
            out.raw(if index > 0 { "," } else { "" }).string(name).raw(":");
            match hello.config.iter().find(|(given, _)| *given == name) {
                Some((_, value)) => value.encode(out)?,
                None => {
                    out.raw("null");
                }
            }
        }
        out.raw("},\"clock\":{").stamp("", *clock);
        out.raw(",\"gap_ns\":").int(clock.wall_after_ns.saturating_sub(clock.wall_ns)).raw("}");
        if let Some(place) = hello.worker.as_ref().filter(|_| !engine) {
            place.encode(out);
        }
        out.raw("}");
        Ok(())
    }

    fn size_hint(&self) -> usize {
        2048
    }
}

impl WorkerPlace {
    fn encode(&self, out: &mut Encoder<'_>) {
        out.raw(",\"rank\":{\"global\":").opt_int(self.global_rank);
        out.raw(",\"tp\":").opt_int(self.tp_rank);
        out.raw(",\"pp\":").opt_int(self.pp_rank);
        out.raw(",\"dp\":").opt_int(self.dp_rank);
        out.raw("},\"local_rank\":").opt_int(self.local_rank);
        out.raw(",\"cuda_ordinal\":").opt_int(self.cuda_ordinal);
        let uuid = self.device_uuid.as_deref().map(|uuid| {
            if uuid.starts_with("GPU-") || uuid.starts_with("MIG-") {
                uuid.to_owned()
            } else {
                format!("GPU-{uuid}")
            }
        });
        out.raw(",\"device_uuid\":").opt_string(uuid.as_deref());
        out.raw(",\"trace_rank_suffix\":").opt_string(self.trace_rank_suffix.as_deref());
    }
}
