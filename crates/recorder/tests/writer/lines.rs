//! The bytes of an epoch (`raw-log.md` §2–§4, §6, §7).

use std::sync::Arc;

use crate::support::{EPOCH, Rig, SECOND, Text, at};
use stepscope_recorder::record::WorkerPlace;
use stepscope_recorder::writer::{SourceFailed, StatusSource};
use stepscope_recorder::{
    EngineRecorder, Fields, Hello, Kind, Limits, NotEncodable, OptionalKind, Value, process::ProcessStart,
};

#[test]
fn a_line_is_common_fields_then_own_fields_and_lf() {
    let mut rig = Rig::new(Limits::default());
    struct Nothing;
    impl Fields for Nothing {
        fn encode(&self, out: &mut stepscope_recorder::Encoder<'_>) -> Result<(), NotEncodable> {
            out.raw("{}");
            Ok(())
        }
    }
    rig.emit("é/\n");
    rig.writer.emit(Kind::CacheReset, &Nothing);
    rig.epoch.drain();
    let epoch = "engine-812-1790000000000000000";
    assert_eq!(
        rig.text("000000.jsonl.part"),
        format!(
            "{{\"format\":\"stormlog.vllm_hook/1\",\"kind\":\"alias\",\"epoch\":\"{epoch}\",\"seq\":0,\"t\":\"\\u00e9/\\n\"}}\n\
             {{\"format\":\"stormlog.vllm_hook/1\",\"kind\":\"cache_reset\",\"epoch\":\"{epoch}\",\"seq\":1}}\n"
        )
    );
}

#[test]
fn fields_stand_in_the_order_of_the_tables() {
    let mut rig = Rig::new(Limits::default());
    let hello = Hello {
        vllm_version: Some("0.30.0".into()),
        observes: vec![OptionalKind::Pause, OptionalKind::Enqueued, OptionalKind::CacheReset],
        config: vec![("max_num_seqs", Value::Int(16)), ("gpu_memory_utilization", Value::Float(0.92))],
        process: ProcessStart {
            start_ns: Some(3),
            start_ticks: Some(2),
            parent_pid: 1,
            ..Default::default()
        },
        ..Default::default()
    };
    let mut recorder = EngineRecorder::start(&rig.writer, &hello).expect("not refused");
    recorder.admissions().admit("r", Some(""));
    recorder.before_hand_over(Some(false)).returned("r", None, Some(true));
    recorder.paused(None, Some(stepscope_recorder::engine::Named::text("PAUSED_ALL")));
    let reset = recorder.before_cache_reset(true, false, ["r"]);
    rig.clock.advance(7);
    recorder.cache_reset(reset, None);
    recorder.freeing(&stepscope_recorder::engine::FreedRequest {
        id: "r",
        output_tokens: 0,
        status: None,
        finish_reason: Some("abort"),
    });
    rig.epoch.drain();
    rig.beat();
    rig.writer.close();
    rig.epoch.drain();
    let text = rig.text("000000.jsonl");
    let own: Vec<&str> = text.lines().map(|line| line.split_once(",\"seq\":").expect("seq").1).collect();
    let stamp =
        "\"wall_ns\":1790000000000000000,\"mono_ns\":5000000000,\"wall_after_ns\":1790000000000000000";
    let later = stamp.replace("0000,", "0007,").replace("00000000}", "x");
    let later =
        later.replace("\"wall_after_ns\":1790000000000000000", "\"wall_after_ns\":1790000000000000007");
    let beat = "\"wall_ns\":1790000001000000000,\"mono_ns\":6000000000,\"wall_after_ns\":1790000001000000000";
    let end = later.replace("\"wall", "\"end_wall").replace("\"mono", "\"end_mono");
    let start = stamp.replace("\"wall", "\"start_wall").replace("\"mono", "\"start_mono");
    assert_eq!(
        own[0],
        format!(
            "0,\"role\":\"engine\",\"host\":\"node-7\",\"boot_id\":null,\"pid\":812,\"start_ns\":1790000000000000000,\
             \"process_start_ns\":3,\"process_start_ticks\":2,\"parent_pid\":1,\"parent_process_start_ticks\":null,\
             \"parent_process_start_ns\":null,\"vllm_version\":\"0.30.0\",\"enabled\":true,\"refused\":null,\
             \"producer\":\"vllm:node-7:noboot:812:1790000000000000000\",\
             \"observes\":[\"cache_reset\",\"enqueued\",\"pause\"],\"config\":{{\"vllm_version\":null,\"executor\":null,\
             \"tp\":null,\"pp\":null,\"dp\":null,\"async_scheduling\":null,\"max_num_batched_tokens\":null,\
             \"speculative\":null,\"v2_model_runner\":null,\"request_id_randomization\":null,\"scheduler\":null,\
             \"runner\":null,\"max_num_seqs\":16,\"num_gpu_blocks\":null,\"kv_cache_groups\":null,\"block_size\":null,\
             \"cudagraph_mode\":null,\"gpu_memory_utilization\":0.92,\"enable_cumem_allocator\":null,\
             \"enable_sleep_mode\":null,\"profiler\":null}},\"clock\":{{{stamp},\"gap_ns\":0}}}}"
        )
    );
    assert_eq!(own[1], format!("1,\"internal\":\"r\",\"external\":\"\",{stamp}}}"));
    assert_eq!(
        own[2],
        format!("2,\"internal\":\"r\",\"structured_output\":null,\"resumable\":true,{stamp}}}")
    );
    assert_eq!(own[3], format!("3,\"from\":null,\"to\":\"PAUSED_ALL\",{stamp}}}"));
    assert_eq!(
        own[4],
        format!(
            "4,\"reset_running_requests\":true,\"reset_connector\":false,\"running\":[\"r\"],{start},\
             \"succeeded\":null,\"raised\":true,{end}}}"
        )
    );
    assert_eq!(
        own[5],
        format!(
            "5,\"internal\":\"r\",\"status\":null,\"finish_reason\":\"abort\",\"output_tokens\":0,{later}}}"
        )
    );
    let counters = |last_seq: i64, bytes: usize| {
        format!(
            "\"last_seq\":{last_seq},\"dropped\":{{}},\"errors\":0,\"bytes\":{bytes},\"capped\":false,\
             \"queued\":0,\"pending\":0,\"reserved\":0}}"
        )
    };
    let before: usize = text.lines().take(6).map(|line| line.len() + 1).sum();
    assert_eq!(own[6], format!("6,{beat},{}", counters(5, before)));
    assert_eq!(own[7], format!("7,{beat},\"last_seq\":7}}"));
    assert_eq!(rig.text("status.json"), format!("{{{beat},{}", counters(7, text.len())));
}

#[test]
fn a_refused_engine_says_hello_and_observes_nothing() {
    let mut rig = Rig::new(Limits::default());
    let hello = Hello {
        refused: Some("pooling model".into()),
        observes: vec![OptionalKind::Pause],
        ..Default::default()
    };
    assert!(EngineRecorder::start(&rig.writer, &hello).is_none());
    rig.epoch.drain();
    let records = rig.records();
    assert_eq!(records[0]["enabled"], false);
    assert_eq!(records[0]["refused"], "pooling model");
    assert_eq!(records[0]["observes"], serde_json::json!([]));
    assert!(records[0]["producer"].is_string());
}

#[test]
fn a_workers_hello_has_its_place_and_no_producer() {
    use stepscope_recorder::{FixedProcess, ManualClock, MemoryFiles, Role, Writer};
    let process = FixedProcess { pid: 9, host: "a-b".into(), boot_id: Some("b-c".into()), key: [1; 32] };
    let clock = Arc::new(ManualClock::new(3, 4));
    let (writer, mut epoch) = Writer::create(
        MemoryFiles::new(),
        std::path::Path::new("/hook"),
        Role::Worker,
        Limits::default(),
        clock,
        Arc::new(process),
    )
    .expect("an epoch");
    let place = WorkerPlace { tp_rank: Some(1), device_uuid: Some("1234".into()), ..Default::default() };
    writer.emit_hello(&Hello { worker: Some(place), ..Default::default() });
    epoch.drain();
    let files = epoch.into_files();
    let record = &crate::support::records_in(&files)[0];
    assert_eq!(record["epoch"], "worker-9-3");
    assert_eq!((&record["producer"], &record["boot_id"]), (&serde_json::Value::Null, &"b-c".into()));
    assert_eq!(record["rank"], serde_json::json!({"global": null, "tp": 1, "pp": null, "dp": null}));
    assert_eq!(record["device_uuid"], "GPU-1234");
    assert!(files.read(std::path::Path::new("/hook/a-b-b-c/worker-9-3/key")) == Some(&[1; 32]));
}

#[test]
fn a_hello_that_cannot_be_encoded_does_not_stop_the_recording() {
    struct Odd;
    impl Fields for Odd {
        fn encode(&self, _: &mut stepscope_recorder::Encoder<'_>) -> Result<(), NotEncodable> {
            Err(NotEncodable)
        }
    }
    let mut rig = Rig::new(Limits::default());
    let hello = Hello { config: vec![("speculative", Value::Own(Box::new(Odd)))], ..Default::default() };
    let recorder = EngineRecorder::start(&rig.writer, &hello).expect("not refused");
    recorder.admissions().admit("r", None);
    rig.epoch.drain();
    assert_eq!(rig.shape(), ["alias"]);
    assert_eq!((rig.errors(), rig.dropped()), (1, vec![]));
}

struct Source(Result<Vec<(&'static str, i64)>, SourceFailed>);

impl StatusSource for Source {
    fn fields(&self) -> Result<Vec<(String, Value)>, SourceFailed> {
        let fields = self.0.clone()?;
        Ok(fields.into_iter().map(|(name, value)| (name.to_owned(), Value::Int(value))).collect())
    }
}

#[test]
fn a_status_sources_fields_follow_and_override() {
    let mut rig = Rig::new(Limits::default());
    rig.writer.set_status_source(Arc::new(Source(Ok(vec![
        ("range_misses", 1),
        ("queued", 9),
        ("range_misses", 2),
    ]))));
    rig.beat();
    let line = rig.text("000000.jsonl.part");
    assert!(line.ends_with(",\"queued\":9,\"pending\":0,\"reserved\":0,\"range_misses\":2}\n"), "{line}");
    assert!(
        rig.text("status.json").ends_with(",\"queued\":9,\"pending\":0,\"reserved\":0,\"range_misses\":2}")
    );
}

#[test]
fn a_failing_status_source_costs_two_errors_a_beat_and_nothing_else() {
    let mut rig = Rig::new(Limits::default());
    rig.writer.set_status_source(Arc::new(Source(Err(SourceFailed))));
    rig.beat();
    assert_eq!(rig.errors(), 2);
    assert_eq!(rig.shape(), ["heartbeat"]);
    assert_eq!(rig.status()["errors"], 1);
}

#[test]
fn a_capped_writer_asks_its_status_source_all_the_same() {
    let mut rig = Rig::new(Limits { epoch_bytes: 0, ..Limits::default() });
    rig.emit("a");
    rig.epoch.turn();
    rig.writer.set_status_source(Arc::new(Source(Err(SourceFailed))));
    rig.beat();
    assert_eq!(rig.errors(), 2);
}

#[test]
fn a_status_that_cannot_be_encoded_is_missing() {
    struct Odd;
    impl StatusSource for Odd {
        fn fields(&self) -> Result<Vec<(String, Value)>, SourceFailed> {
            struct No;
            impl Fields for No {
                fn encode(&self, _: &mut stepscope_recorder::Encoder<'_>) -> Result<(), NotEncodable> {
                    Err(NotEncodable)
                }
            }
            Ok(vec![("odd".into(), Value::Own(Box::new(No)))])
        }
    }
    let mut rig = Rig::new(Limits::default());
    rig.writer.set_status_source(Arc::new(Odd));
    rig.beat();
    assert_eq!((rig.errors(), rig.dropped()), (2, vec![]));
    assert!(rig.names().is_empty());
}

#[test]
fn a_clock_stepped_back_is_written_as_it_is_and_beats_go_on() {
    let mut rig = Rig::new(Limits::default());
    rig.beat();
    rig.clock.step_wall(-3600 * SECOND);
    rig.beat();
    let records = rig.records();
    let wall = |place: usize| records[place]["wall_ns"].as_i64().expect("a stamp");
    assert_eq!(wall(1) - wall(0), SECOND - 3600 * SECOND);
    assert_eq!(records.len(), 2);
}

#[test]
fn side_files_and_names() {
    let mut rig = Rig::new(Limits::default());
    rig.emit("a");
    rig.writer.emit(Kind::Alias, &Text::Of("b"));
    rig.writer.close();
    rig.epoch.drain();
    assert_eq!(rig.names(), ["000000.jsonl", "status.json"]);
    assert_eq!(rig.files().memory.read(&at("key")), Some(&[7; 32][..]));
    assert!(rig.files().memory.is_dir(std::path::Path::new(EPOCH)));
}
