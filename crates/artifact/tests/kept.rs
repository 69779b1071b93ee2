//! What an artifact kept of the engines' loops (`diagnose.md` §16).

mod common;

use common::{DISPATCH, How, IDENTITY, ITERATION, PLAIN, SESSION, WINDOW, file, imported, worked_log};
use stepscope_artifact::{KeptEngine, KeptRun, NotAnArtifact};

fn kept(text: &str) -> KeptRun {
    KeptRun::read(text.as_bytes()).expect("an artifact")
}

fn only(run: &KeptRun) -> &KeptEngine {
    let [engine] = &run.engines[..] else { panic!("{:?}", run.engines) };
    engine
}

#[test]
fn the_worked_log_is_kept_whole_with_its_window_and_in_part_without() {
    let whole =
        kept(&imported(&file(&[SESSION, IDENTITY, DISPATCH, WINDOW]), &worked_log(), PLAIN).expect("taken"));
    assert_eq!((whole.run_id.as_deref(), whole.client_requests), (Some(&b"run1"[..]), 1));
    let engine = only(&whole);
    assert_eq!((engine.names.join(" "), engine.counts.steps), ("0 1 2".to_owned(), 3));
    assert!(engine.kept.is_whole);
    let starts: Vec<i64> = engine.kept.steps.iter().map(|step| step.start_mono_ns).collect();
    assert_eq!(starts, [120, 150, 180]);
    let members: Vec<u32> = engine.kept.members.iter().map(|member| member.step).collect();
    assert_eq!(members, [0, 0, 1, 1, 2]);
    // The run's request was freed while step 1 ran.
    let finished: Vec<bool> = engine.kept.members.iter().map(|member| member.finished).collect();
    assert_eq!(finished, [false, false, true, false, false]);
    assert_eq!(engine.kept.members[0].attempt, engine.kept.members[2].attempt);
    assert_eq!(engine.counts.finishes["FINISHED_STOPPED"], 1);
    assert_eq!((engine.counts.requests["run"], engine.counts.requests["foreign"]), (1, 1));

    let part = kept(&imported(&file(&[SESSION, IDENTITY, DISPATCH]), &worked_log(), PLAIN).expect("taken"));
    let engine = only(&part);
    assert_eq!((engine.names.join(" "), engine.kept.is_whole), ("0 1".to_owned(), false));
    assert_eq!(engine.epoch.as_ref().map(|epoch| epoch.left_out.foreign_only), Some(1));
}

#[test]
fn what_is_withheld_is_counted_and_not_called_whole() {
    let how = How { key: false, ..PLAIN };
    let run =
        kept(&imported(&file(&[SESSION, IDENTITY, DISPATCH, WINDOW]), &worked_log(), how).expect("taken"));
    let engine = only(&run);
    let left_out = engine.epoch.as_ref().expect("told").left_out;
    assert_eq!((left_out.foreign_only_withheld, left_out.withheld_members), (1, 2));
    assert!(!engine.kept.is_whole);
    // The members of the run alone are there.
    assert_eq!(engine.kept.members.len(), 2);
}

#[test]
fn left_out_steps_add_up_over_the_imports() {
    let log = worked_log();
    let first = imported(&file(&[SESSION, IDENTITY, DISPATCH]), &log[..9], PLAIN).expect("taken");
    let second = imported(&first, &log, PLAIN).expect("taken");
    let third = imported(&second, &log, PLAIN).expect("taken");
    let left_out = |text: &str| {
        only(&kept(text)).epoch.as_ref().map(|epoch| (epoch.left_out.foreign_only, epoch.pending))
    };
    assert_eq!(
        [left_out(&first), left_out(&second), left_out(&third)],
        [Some((0, 1)), Some((1, 0)), Some((1, 0))]
    );
}

#[test]
fn rows_in_any_order_give_the_same_and_members_without_an_execution_none() {
    let text = imported(&file(&[SESSION, IDENTITY, DISPATCH, WINDOW]), &worked_log(), PLAIN).expect("taken");
    let (definitions, records): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.contains("infer.context"));
    let backwards: Vec<&str> = definitions.iter().copied().chain(records.iter().rev().copied()).collect();
    let (whole, turned) = (kept(&text), kept(&file(&backwards)));
    assert_eq!(only(&whole).counts, only(&turned).counts);
    assert_eq!(only(&whole).kept.members.len(), only(&turned).kept.members.len());
    let (of, by) = (&only(&whole).kept.steps, &only(&turned).kept.steps);
    assert!(by.iter().rev().eq(of.iter()));

    let requests: Vec<&str> = text.lines().filter(|line| !line.contains("\"infer.request\"")).collect();
    let without = kept(&file(&requests));
    assert_eq!((only(&without).counts.memberships, only(&without).kept.members.len()), (5, 0));
}

#[test]
fn steps_without_their_stamps_are_counted_and_not_judged() {
    let run = kept(&file(&[IDENTITY, ITERATION, "not JSON"]));
    assert_eq!((only(&run).counts.steps, only(&run).kept.steps.len()), (1, 0));
    assert!(only(&run).epoch.is_none() && !only(&run).kept.is_whole);
    assert_eq!(run.problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_file_of_anything_else_is_no_artifact() {
    for text in ["", "\n", "hello\n", ITERATION, &worked_log().join("\n")] {
        assert_eq!(KeptRun::read(text.as_bytes()).map(|run| run.engines.len()), Err(NotAnArtifact), "{text}");
    }
    assert!(kept(SESSION).engines.is_empty());
}
