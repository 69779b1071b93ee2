//! Once warm, recording a step allocates nothing per member.

#[path = "../examples/batch/mod.rs"]
mod batch;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use batch::Batch;
use stepscope_recorder::{
    EngineRecorder, FixedProcess, Hello, Limits, ManualClock, MemoryFiles, Role, Writer, WriterLoop,
};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

#[allow(unsafe_code, reason = "an allocator cannot be counted without one")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

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
        let before = ALLOCATIONS.get();
        batch.record_step(&mut recorder);
        if step >= 100 {
            most = most.max(ALLOCATIONS.get() - before);
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
    assert!(ALLOCATIONS.get() > 0, "the counter counts");
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
