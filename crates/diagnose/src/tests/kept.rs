//! Stalls rebuilt from kept steps (`diagnose.md` §16, L4).

use super::log::{Log, MS, WALL, wall};
use crate::config::Config;
use crate::diagnosis::plain_over_limit;
use crate::kept::{KeptDiagnosis, KeptLoop, KeptMember, KeptStep, Missing, WholeSpan, judge_kept};
use crate::reasons::Reason;
use crate::stalls::Locus;
use crate::steps::Steps;
use crate::{Rules, Span};

/// What an import would keep of a log, whole or without the steps `keeps` refuses.
fn kept(log: &Log, keeps: impl Fn(usize) -> bool) -> KeptLoop {
    let epoch = log.epoch();
    let steps = Steps::of(&epoch, &Config::default());
    let mut kept = KeptLoop { observes_pauses: true, ..KeptLoop::default() };
    for step in (0..steps.len()).filter(|&step| keeps(step)) {
        let place = kept.steps.len() as u32;
        kept.steps.push(KeptStep {
            number: Some(step as i64),
            start_mono_ns: steps.start_mono_ns[step],
            start_wall_ns: steps.start_wall_ns[step],
            end_mono_ns: steps.end_mono_ns[step],
            end_wall_ns: steps.end_wall_ns[step],
            done_mono_ns: steps.done_mono_ns[step],
            done_wall_ns: steps.done_wall_ns[step],
            tokens: epoch.log.scheduled.total_tokens.int(steps.rows[step].scheduled as usize).unwrap_or(0),
        });
        let ready: Vec<_> = steps.ready(step).collect();
        for &attempt in steps.member_ids(step) {
            let finished = !ready.contains(&attempt);
            kept.members.push(KeptMember {
                step: place,
                attempt,
                finished,
                streaming: false,
                prompt_tokens: None,
            });
        }
    }
    kept
}

/// An engine that steps every 10 ms; the run's request is in the first and the last step only, another one in all.
fn phantom() -> Log {
    let step = |at: i64| {
        let run = if at == 0 || at == 150 { " run" } else { "" };
        format!("{}-{}-{} other{run}", at * 10, at * 10 + 1, at * 10 + 9)
    };
    Log::of(&(0..=150).map(step).collect::<Vec<_>>().join("; "))
}

fn judged(kept: &KeptLoop, rules: Rules) -> KeptDiagnosis {
    judge_kept(kept, &Config { rules, ..Config::default() })
}

#[test]
fn kept_whole_they_are_the_stalls_of_the_log() {
    let busy: Vec<String> =
        (0..25).map(|at| format!("{}-{}-{} a b", at * 10, at * 10 + 1, at * 10 + 9)).collect();
    let log =
        Log::of(&format!("{}; 1000-1400-1409 a; 1410-1411-3000 a! b; 3700-3701-3702 b", busy.join("; ")));
    let plain = plain_over_limit(&log.epoch(), &Config::default());
    assert_eq!(plain.len(), 4);
    let mut kept = kept(&log, |_| true);
    for rules in [Rules::Reference, Rules::Corrected] {
        let found = judged(&kept, rules);
        let stalls: Vec<_> = found.over_limit.iter().map(|s| (s.judged.stall, s.judged.limit)).collect();
        assert_eq!(stalls, plain);
        assert_eq!((found.missing, found.left_out.len()), (Some(0), 0));
        // Without the reader's coverage nobody knows whether records are missing.
        assert_eq!(found.verdict.exceeds, None);
        assert_eq!(found.verdict.detail.reasons, [Reason::HookCoverageUnknown]);
    }
    // The order of the rows says nothing.
    kept.steps.reverse();
    let last = kept.steps.len() as u32 - 1;
    kept.members.iter_mut().for_each(|member| member.step = last - member.step);
    let found = judged(&kept, Rules::Reference);
    assert_eq!(found.over_limit.iter().map(|s| s.judged.stall).collect::<Vec<_>>(), {
        plain.iter().map(|(stall, _)| *stall).collect::<Vec<_>>()
    });
}

#[test]
fn a_hole_makes_a_phantom_for_the_reference_and_none_for_people() {
    let log = phantom();
    assert!(plain_over_limit(&log.epoch(), &Config::default()).is_empty());
    let mut run_only = kept(&log, |step| step == 0 || step == 150);
    run_only.covered.push(WholeSpan {
        start_mono_ns: 0,
        end_mono_ns: 2000 * MS,
        wall: Span { start_wall_ns: WALL, end_wall_ns: wall(2000) },
    });
    let found = judged(&run_only, Rules::Reference);
    let [phantom] = &found.over_limit[..] else { panic!("{:?}", found.over_limit) };
    assert_eq!(phantom.judged.stall.duration_ns, 1491 * MS);
    assert_eq!(phantom.judged.stall.locus, Locus::BetweenSteps);
    assert_eq!(phantom.missing, Missing::Steps(149));
    // Missing steps uncover it, so that no verdict stands on it.
    assert_eq!((phantom.judged.covered_by, found.verdict.exceeds), (None, None));
    assert_eq!(found.missing, Some(149));

    let found = judged(&run_only, Rules::Corrected);
    assert!(found.over_limit.is_empty());
    assert_eq!((found.left_out.len(), found.verdict.exceeds), (1, Some(false)));

    // Whoever says that nothing was left out is believed: those numbers were steps without members.
    run_only.is_whole = true;
    let found = judged(&run_only, Rules::Corrected);
    assert_eq!((found.over_limit.len(), found.verdict.exceeds), (1, Some(true)));
    run_only.is_whole = false;

    // Steps whose names are no numbers tell nothing of what is missing.
    run_only.steps[1].number = None;
    let found = judged(&run_only, Rules::Reference);
    assert_eq!((found.over_limit[0].missing, found.missing), (Missing::Unknown, None));
    assert_eq!(judged(&run_only, Rules::Corrected).over_limit.len(), 0);
}

#[test]
fn a_hole_does_not_stretch_the_baseline_of_the_corrected_rules() {
    // Every second step is kept: 20 ms from one completion to the next in truth, and nothing to say so.
    let log = Log::of(
        &(0..80).map(|at| format!("{0}-{0}-{1} a", at * 10, at * 10 + 9)).collect::<Vec<_>>().join("; "),
    );
    let mut half = kept(&log, |step| step % 2 == 0 || step >= 76);
    half.steps.last_mut().expect("a step").done_mono_ns = Some(1300 * MS);
    let limit = |rules| judged(&half, rules).over_limit.last().map(|stall| stall.judged.limit.limit_ns);
    assert_eq!(limit(Rules::Reference), Some(200.0 * MS as f64));
    assert_eq!(limit(Rules::Corrected), Some(500.0 * MS as f64));
}

#[test]
fn pauses_block_for_people_only() {
    let log = Log::of("0-1-10 a; 1000-1001-1010 a");
    let mut paused = kept(&log, |_| true);
    paused.pauses.push((wall(20), wall(990)));
    assert_eq!(judged(&paused, Rules::Reference).over_limit.len(), 1);
    assert_eq!(judged(&paused, Rules::Corrected).over_limit.len(), 0);
}

#[test]
fn the_first_calls_are_set_apart_where_the_loop_is_whole_from_its_beginning() {
    let log = Log::of("0-1-2000 a; 2001-2002-2010 a; 2011-2012-2020 a");
    let first = |kept: &KeptLoop| judged(kept, Rules::Corrected).over_limit[0].judged.warm_up;
    assert!(first(&kept(&log, |_| true)));
    let mut later = kept(&log, |_| true);
    later.steps.iter_mut().for_each(|step| step.number = step.number.map(|number| number + 7));
    assert!(!first(&later));
}

#[test]
fn no_step_and_no_completion_are_said() {
    let reasons = |kept: &KeptLoop| judged(kept, Rules::Corrected).verdict.detail.reasons;
    assert_eq!(reasons(&KeptLoop::default()), [Reason::RequiresHook]);
    let lost = KeptLoop { records_dropped: true, capped: true, ..kept(&Log::of("0-1-never a"), |_| true) };
    assert_eq!(reasons(&lost), [Reason::HookRecordsDropped, Reason::HookCapped, Reason::TooFewSteps]);
}
