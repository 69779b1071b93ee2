//! What a simulated engine says of itself.

use stepscope_recorder::{Hello, Value};

use crate::config::EngineConfig;

pub(super) fn hello(config: &EngineConfig) -> Hello {
    let int = |value: usize| Value::Int(i64::try_from(value).unwrap_or(i64::MAX));
    let scheduler = if config.async_scheduling {
        "vllm.v1.core.sched.async_scheduler.AsyncScheduler"
    } else {
        "vllm.v1.core.sched.scheduler.Scheduler"
    };
    Hello {
        vllm_version: Some("0.30.0".to_owned()),
        refused: None,
        observes: config.observes.clone(),
        config: vec![
            ("vllm_version", "0.30.0".into()),
            ("executor", "uni".into()),
            ("tp", Value::Int(1)),
            ("pp", Value::Int(1)),
            ("dp", Value::Int(1)),
            ("async_scheduling", config.async_scheduling.into()),
            ("max_num_batched_tokens", config.max_num_batched_tokens.into()),
            ("speculative", config.speculation.map_or(Value::Null, |_| "ngram".into())),
            ("request_id_randomization", true.into()),
            ("scheduler", scheduler.into()),
            ("max_num_seqs", int(config.max_num_seqs)),
            ("num_gpu_blocks", config.num_gpu_blocks.into()),
            ("kv_cache_groups", Value::Int(1)),
            ("block_size", config.block_size.into()),
        ],
        process: Default::default(),
        worker: None,
    }
}
