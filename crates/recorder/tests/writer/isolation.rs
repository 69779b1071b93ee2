//! What goes wrong inside the recorder stays there (`record.md` §13), and what it announces ends (E2, §5).

use stepscope_recorder::engine::{
    KnownEntry, LiveRequest, NewEntry, RequestOutput, Scheduler, StepIdentity, StepOutput, UpdateResult,
};
use stepscope_recorder::worker::{NoRanges, RangeFailed, Ranges, range_name};
use stepscope_recorder::{EngineRecorder, Limits, WorkerRecorder};

use crate::support::Rig;

/// A step of one member whose facts may fail to be read.
#[derive(Default)]
struct Step {
    identity: Option<String>,
    total_fails: bool,
    live_fails: bool,
}

impl StepOutput for Step {
    fn total_tokens(&self) -> i64 {
        assert!(!self.total_fails, "the total cannot be read");
        4
    }
    fn scheduled(&self) -> impl Iterator<Item = (&str, i64)> {
        [("r", 4)].into_iter()
    }
    fn scheduled_tokens(&self, _: &str) -> i64 {
        4
    }
    fn new_entries(&self) -> impl Iterator<Item = NewEntry<'_>> {
        [NewEntry { id: "r", prompt_tokens: 10, computed_tokens: 0 }].into_iter()
    }
    fn known_entries(&self) -> impl Iterator<Item = KnownEntry<'_>> {
        std::iter::empty()
    }
    fn identity(&self) -> Option<StepIdentity<'_>> {
        self.identity.as_deref().map(|iteration| StepIdentity { producer: "p", iteration })
    }
    fn set_identity(&mut self, identity: StepIdentity<'_>) {
        self.identity = Some(identity.iteration.to_owned());
    }
}

impl Scheduler for Step {
    fn live(&self, _: &str) -> Option<LiveRequest> {
        assert!(!self.live_fails, "liveness cannot be read");
        Some(LiveRequest { prompt_tokens: 10, ..LiveRequest::default() })
    }
}

fn step(recorder: &mut EngineRecorder, mut output: Step) {
    let start = recorder.stamp();
    let live_fails = output.live_fails;
    recorder.scheduled(start, &mut output, &Step { live_fails, ..Step::default() });
    recorder.before_update(&output, &(), &Step::default());
    let nothing: [RequestOutput<'_>; 0] = [];
    recorder.updated(&output, UpdateResult::Returned(nothing), &Step::default());
}

#[test]
fn a_failure_while_members_are_built_uses_up_the_number_and_leaves_an_empty_completed() {
    let mut rig = Rig::new(Limits::default());
    let mut recorder = EngineRecorder::new(rig.writer.clone(), "p".into());
    step(&mut recorder, Step { live_fails: true, ..Step::default() });
    step(&mut recorder, Step::default());
    rig.epoch.drain();
    let records = rig.records();
    assert_eq!(rig.shape(), ["completed", "scheduled", "completed"]);
    assert_eq!((&records[0]["iteration"], &records[0]["members"]), (&"0".into(), &serde_json::json!([])));
    assert_eq!(records[1]["iteration"], "1");
    assert_eq!(rig.errors(), 1);
    assert_eq!(rig.writer.counters().reserved, 0);
}

#[test]
fn a_failure_after_the_members_leaves_a_completed_with_them() {
    let mut rig = Rig::new(Limits::default());
    let mut recorder = EngineRecorder::new(rig.writer.clone(), "p".into());
    step(&mut recorder, Step { total_fails: true, ..Step::default() });
    rig.epoch.drain();
    assert_eq!(rig.shape(), ["completed"]);
    assert_eq!(rig.records()[0]["members"][0]["computed_after"], 4);
    assert_eq!((rig.errors(), rig.writer.counters().reserved), (1, 0));
}

#[test]
fn a_hand_over_is_announced_over_the_whole_call_and_stamped_before_it() {
    let mut rig = Rig::new(Limits::default());
    let recorder = EngineRecorder::new(rig.writer.clone(), "p".into());
    let hand_over = recorder.before_hand_over(Some(false));
    assert_eq!(rig.writer.counters().reserved, 1);
    rig.clock.advance(500);
    rig.beat();
    hand_over.returned("r", Some(true), Some(false));
    rig.epoch.drain();
    let records = rig.records();
    assert_eq!(records[0]["reserved"], 1, "the heartbeat knows of it");
    assert_eq!(
        (&records[1]["mono_ns"], &records[1]["structured_output"]),
        (&5_000_000_000_i64.into(), &true.into())
    );
    for is_live in [Some(true), None] {
        recorder.before_hand_over(is_live).returned("r", None, None);
    }
    drop(recorder.before_hand_over(Some(false)));
    assert_eq!(rig.writer.counters().reserved, 0);
    rig.epoch.drain();
    assert_eq!(rig.records().len(), 2, "a live id, an unknown liveness and a call that raised give nothing");
}

#[test]
fn admissions_are_recorded_from_other_threads() {
    let mut rig = Rig::new(Limits::default());
    let recorder = EngineRecorder::new(rig.writer.clone(), "p".into());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let admissions = recorder.admissions();
            scope.spawn(move || admissions.admit(&format!("r{thread}"), None));
        }
    });
    rig.epoch.drain();
    assert_eq!(rig.shape(), ["alias"; 4]);
}

/// Ranges that note what happens to them.
#[derive(Default)]
struct Noted {
    open: Vec<String>,
    opened: usize,
    fails: bool,
}

impl Ranges for &mut Noted {
    fn open(&mut self, name: &str) -> Result<(), RangeFailed> {
        if self.fails {
            return Err(RangeFailed);
        }
        self.opened += 1;
        self.open.push(name.to_owned());
        Ok(())
    }
    fn close(&mut self) -> Result<(), RangeFailed> {
        self.open.pop().map(drop).ok_or(RangeFailed)
    }
}

fn identity(iteration: &str) -> Option<StepIdentity<'_>> {
    Some(StepIdentity { producer: "p", iteration })
}

#[test]
fn a_worker_counts_misses_before_and_after_it_serves() {
    let mut rig = Rig::new(Limits::default());
    let mut worker = WorkerRecorder::new(rig.writer.clone(), NoRanges);
    worker.run_dummy(|| ());
    assert_eq!(worker.run(None, || Some(1)), Some(1));
    worker.sample(|| ());
    rig.beat();
    assert_eq!(worker.run(identity("0"), || Some(2)), Some(2));
    assert_eq!(worker.run(identity("1"), || None::<i32>), None);
    assert_eq!(worker.run(identity("2"), || None::<i32>), None);
    worker.sample(|| ());
    worker.run_dummy(|| ());
    worker.run(None, || Some(()));
    worker.run(None, || Some(()));
    rig.beat();
    worker.sample(|| ());
    worker.sample(|| ());
    rig.beat();
    let records = rig.records();
    let counters = |place: usize| {
        let of = |name: &str| records[place][name].as_i64().expect("a number");
        [of("range_misses"), of("startup_unranged"), of("pending_samples")]
    };
    assert_eq!([counters(0), counters(1), counters(2)], [[0, 3, 0], [2, 3, 1], [3, 3, 0]]);
    assert_eq!(rig.status()["range_misses"], 3);
}

#[test]
fn calls_run_inside_the_range_of_their_step_oldest_first() {
    let rig = Rig::new(Limits::default());
    let mut ranges = Noted::default();
    let mut worker = WorkerRecorder::new(rig.writer.clone(), &mut ranges);
    worker.run(identity("0"), || None::<()>);
    worker.run(identity("1"), || None::<()>);
    worker.sample(|| ());
    drop(worker);
    assert_eq!((ranges.open.len(), ranges.opened), (0, 3));
    assert_eq!(identity("7").map(range_name).as_deref(), Some("stormlog.iteration/p/7"));

    let mut failing = Noted { fails: true, ..Noted::default() };
    let mut worker = WorkerRecorder::new(rig.writer.clone(), &mut failing);
    assert_eq!(worker.run(identity("0"), || Some(5)), Some(5), "the call runs all the same");
    assert_eq!(rig.errors(), 1);

    let mut ranges = Noted::default();
    let mut worker = WorkerRecorder::new(rig.writer.clone(), &mut ranges);
    let raised = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        worker.run(identity("0"), || -> Option<()> { panic!("the model fails") })
    }));
    assert!(raised.is_err());
    drop(worker);
    assert_eq!((ranges.open.len(), ranges.opened), (0, 1), "the range is closed also then");
}
