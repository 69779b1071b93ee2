//! Once warm, recording a step allocates nothing per member.

#[path = "../examples/batch/mod.rs"]
mod batch;

use std::path::Path;
use std::sync::Arc;

use batch::Batch;
use batch::counting::{Counting, allocations};
use stepscope_recorder::{
    EngineRecorder, FixedProcess, Hello, Limits, ManualClock, MemoryFiles, Role, Writer, WriterLoop,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn engine() -> (EngineRecorder, WriterLoop<MemoryFiles>) {
    let (writer, epoch) = Writer::create(
        MemoryFiles::new(),
        Path::new("hook"),
        Role::Engine,
        Limits::default(),
        Arc::new(ManualClock::default()),
        Arc::new(FixedProcess { pid: 1, host: "h".into(), boot_id: None, key: [0; 32] }),
    )
    .expect("an epoch");
    (EngineRecorder::start(&writer, &Hello::default()).expect("not refused"), epoch)
}

/// The largest number of allocations on the engine's thread in any of 100 steps, with `behind` steps in the queue.
fn allocations_per_step(members: usize, behind: usize) -> u64 {
    let (mut recorder, mut epoch) = engine();
    let mut batch = Batch::new(members);
    let mut most = 0;
    for step in 0..200 {
        let before = allocations();
        batch.record_step(&mut recorder);
        if step >= 100 {
            most = most.max(allocations() - before);
        }
        if step % behind == 0 {
            epoch.drain();
        }
    }
    assert_eq!(recorder.writer().counters().dropped, []);
    most
}

#[test]
fn a_step_of_256_members_allocates_at_most_four_times() {
    assert!(allocations() > 0, "the counter counts");
    let most = allocations_per_step(256, 1);
    assert!(most <= 4, "{most} allocations in one step");
}

#[test]
fn allocations_do_not_grow_with_the_members_or_with_the_queue() {
    for (members, behind) in [(1, 1), (16, 8), (1024, 4), (256, 16)] {
        let most = allocations_per_step(members, behind);
        assert!(most <= 4, "{most} allocations in one step of {members} members, {behind} steps behind");
    }
}
