//! The engine's settings and who recorded them (`raw-log.md` §6.1), grouped as people look for them.

use crate::answers::ConfigRow;
use crate::model::Timeline;
use crate::tell::bare;
use crate::tell::words::{bytes, safe};

const ENGINE: &[&str] = &[
    "vllm_version",
    "executor",
    "tp",
    "pp",
    "dp",
    "runner",
    "v2_model_runner",
    "speculative",
    "cudagraph_mode",
    "request_id_randomization",
];
const SCHEDULER: &[&str] = &["scheduler", "async_scheduling", "max_num_seqs", "max_num_batched_tokens"];
const MEMORY: &[&str] = &[
    "num_gpu_blocks",
    "block_size",
    "kv_cache_groups",
    "gpu_memory_utilization",
    "enable_cumem_allocator",
    "enable_sleep_mode",
];
const PROFILER: &str = "profiler";

type Setting = (String, Option<String>);

impl Timeline {
    /// The settings: the known ones of each group in order, then those this version does not know. A setting that the
    /// hello does not hold is "not recorded".
    pub fn config(&self) -> Vec<ConfigRow> {
        let settings: &[Setting] = self.epoch.hello.as_ref().map_or(&[], |hello| &hello.config);
        let mut rows = Vec::new();
        for (group, names) in [("engine", ENGINE), ("scheduler", SCHEDULER), ("memory", MEMORY)] {
            rows.extend(names.iter().map(|name| ConfigRow {
                group,
                label: (*name).to_owned(),
                value:
                    settings.iter().find(|(path, _)| path == name).map(|(_, value)| shown(value.as_deref())),
            }));
        }
        let known = |path: &str| [ENGINE, SCHEDULER, MEMORY].iter().any(|group| group.contains(&path));
        let is_profiler = |path: &str| path == PROFILER || path.starts_with("profiler.");
        let row = |group: &'static str, (path, value): &Setting| ConfigRow {
            group,
            label: safe(path),
            value: Some(shown(value.as_deref())),
        };
        rows.extend(
            settings.iter().filter(|(path, _)| is_profiler(path)).map(|setting| row("profiler", setting)),
        );
        let others = settings.iter().filter(|(path, _)| !is_profiler(path) && !known(path));
        rows.extend(others.map(|setting| row("other", setting)));
        rows.extend(self.recorder());
        rows
    }

    fn recorder(&self) -> Vec<ConfigRow> {
        let epoch = &self.epoch;
        let hello = epoch.hello.as_ref();
        let row = |label: &str, value: Option<String>| ConfigRow {
            group: "recorder",
            label: label.to_owned(),
            value: value.map(|value| safe(&value)),
        };
        let clone = |text: Option<&String>| text.cloned();
        let mut rows = vec![
            row("epoch", Some(epoch.name.text.clone())),
            row("role", Some(epoch.name.role.name().to_owned())),
            row("host", clone(hello.and_then(|hello| hello.host.as_ref()))),
            row("boot_id", clone(hello.and_then(|hello| hello.boot_id.as_ref()))),
            row("pid", Some(epoch.name.pid.clone())),
            row("start_ns", Some(epoch.name.start_ns.clone())),
            row("process_start_ns", hello.and_then(|hello| hello.process_start_ns).map(|ns| ns.to_string())),
            row("vllm_version", clone(hello.and_then(|hello| hello.vllm_version.as_ref()))),
            row("enabled", hello.and_then(|hello| hello.enabled).map(|enabled| enabled.to_string())),
            row("refused", clone(hello.and_then(|hello| hello.refused.as_ref()))),
            row("producer", clone(hello.and_then(|hello| hello.producer.as_ref()))),
            row("observes", hello.and_then(|hello| hello.observes.as_ref()).map(|kinds| kinds.join(", "))),
            row("bytes read", Some(bytes(epoch.bytes))),
        ];
        let worker: &[Setting] = hello.map_or(&[], |hello| &hello.worker);
        rows.extend(worker.iter().map(|(name, value)| row(name, Some(shown(value.as_deref())))));
        rows
    }
}

/// A setting that is null is not set in this engine.
fn shown(value: Option<&str>) -> String {
    value.map_or_else(|| "not set".to_owned(), bare)
}
