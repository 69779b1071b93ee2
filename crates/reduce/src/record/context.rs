//! The context every record of an epoch shares (`reduce.md` §10.1).

use super::fields::{Fields, FieldsExt};
use super::values::{Raw, Text};

/// Who recorded an epoch, with which clock (`artifact.md` §3). Fields that every imported epoch shares are given by
/// [`Context::fields`] alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Context {
    /// The run.
    pub run_id: Text,
    /// The client's session.
    pub session_id: Text,
    /// Names the engine's iterations (`reduce.md` I1).
    pub producer_id: Text,
    /// Version of the importing tool.
    pub source_version: Text,
    /// Version of the engine.
    pub engine_version: Option<Text>,
    /// Where it ran (I2).
    pub host: Text,
    /// Its process ID, decimal digits of any length.
    pub pid: String,
    /// The monotonic clock's domain (I3).
    pub clock_domain: Text,
}

/// `source` of every imported record.
pub(crate) const SOURCE: &str = "stormlog.infer.import_execution";

impl Context {
    /// Calls `out` for all 19 fields, names ascending.
    pub fn fields(&self, out: &mut impl Fields) {
        out.set("backend", Raw::Null);
        out.set("backend_version", Raw::Null);
        out.set("clock_domain", &self.clock_domain[..]);
        out.set("clock_kind", "monotonic");
        out.set("collection_mode", "imported");
        out.set("device_uuid", Raw::Null);
        out.set("engine", "vllm");
        out.set("engine_version", self.engine_version.as_deref());
        out.set("host", &self.host[..]);
        out.set("local_rank", Raw::Null);
        out.set("pid", self.pid.parse().map_or(Raw::Json(self.pid.as_bytes()), Raw::Int));
        out.set("producer_id", &self.producer_id[..]);
        out.set("provenance", "observed");
        out.set("rank", Raw::Null);
        out.set("run_id", &self.run_id[..]);
        out.set("session_id", &self.session_id[..]);
        out.set("source", SOURCE);
        out.set("source_version", &self.source_version[..]);
        out.set("world_size", Raw::Null);
    }
}
