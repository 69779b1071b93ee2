//! The scenarios' known answers, as far as the records, the reader and the diagnosis tell them.

use std::collections::BTreeMap;

use stepscope_diagnose::{BaselineKind, Config, Diagnosis, JudgedStall, Locus, Reason, diagnose};
use stepscope_epoch_log::coverage::coverage;

use crate::epochs::{Generated, MS, int, members, percentile, preset, text};

/// Judged as of the last heartbeat or status.
fn judge(generated: &Generated) -> Diagnosis {
    diagnose(&generated.epoch, &Config::corrected(generated.epoch.last_seen_wall_ns))
}

fn over_limit(diagnosis: &Diagnosis) -> Vec<JudgedStall> {
    diagnosis.over_limit().copied().collect()
}

/// Ends by goodbye, nothing lost, one span of coverage over all heartbeats.
fn assert_whole(generated: &Generated) {
    assert_eq!(generated.epoch.state.reason(), "goodbye");
    assert_eq!(generated.summary.dropped, 0);
    let beats = generated.of_kind("heartbeat").count();
    let spans = coverage(&generated.epoch).spans;
    assert!(beats < 2 || spans.len() == 1, "{spans:?}");
}

/// `(recomputed, scheduled)` tokens: what is computed below the context that kept steps had reached.
fn recomputed(generated: &Generated) -> (i64, i64) {
    let mut high: BTreeMap<&str, i64> = BTreeMap::new();
    let (mut again, mut all) = (0, 0);
    for (step, completed) in generated.steps() {
        for member in members(step) {
            let (before, tokens) = (int(member, "computed_before"), int(member, "scheduled"));
            let reached = high.get(text(member, "internal")).copied().unwrap_or(0);
            again += ((before + tokens).min(reached) - before).max(0);
            all += tokens;
        }
        for member in completed.into_iter().flat_map(members) {
            if let Some(after) = member["computed_after"].as_i64() {
                let reached = high.entry(text(member, "internal")).or_insert(0);
                *reached = after.max(*reached);
            }
        }
    }
    (again, all)
}

fn preemptions(generated: &Generated) -> Vec<&str> {
    let listed =
        generated.of_kind("scheduled").flat_map(|step| step["preempted"].as_array().into_iter().flatten());
    listed.filter_map(|id| id.as_str()).collect()
}

#[test]
fn interference() {
    let log = preset("interference");
    assert_whole(&log);
    let gaps = log.token_gaps("A");
    assert_eq!((gaps.len(), percentile(&gaps, 50)), (408, 5_200_000));
    assert_eq!(gaps.iter().filter(|&&gap| gap == 1_200_200_000).count(), 8);
    assert_eq!(gaps.iter().filter(|&&gap| gap == 5_200_000).count(), 400);
    let b = log.id("B");
    let mixed: Vec<_> = log
        .of_kind("scheduled")
        .filter(|step| members(step).any(|m| m["internal"] == b && int(m, "prefill_scheduled") > 0))
        .collect();
    assert_eq!(mixed.len(), 8);
    for step in mixed {
        let mut tokens: Vec<i64> = members(step).map(|member| int(member, "scheduled")).collect();
        tokens.sort_unstable();
        assert_eq!((tokens, int(step, "total_tokens")), (vec![1, 8191], 8192));
    }
    let stalls = over_limit(&judge(&log));
    assert_eq!(stalls.len(), 8);
    for judged in stalls {
        assert_eq!((judged.stall.locus, judged.stall.duration_ns), (Locus::WithinStep, 1_199_800_000));
        assert_eq!((judged.limit.limit_ns, judged.limit.kind), (500e6, BaselineKind::Floor));
    }
}

#[test]
fn thrash() {
    let log = preset("thrash");
    assert_whole(&log);
    let r = log.id("R");
    assert_eq!(preemptions(&log), [r; 5]);
    assert_eq!(recomputed(&log), (20_535, 25_835));
    let steps: Vec<_> = log.of_kind("scheduled").collect();
    let holds_r = |place: usize| members(steps[place]).any(|member| member["internal"] == r);
    for (place, step) in steps.iter().enumerate() {
        if step["preempted"].as_array().is_some_and(|preempted| !preempted.is_empty()) {
            let back = (place..steps.len()).find(|&later| holds_r(later)).expect("resumed");
            assert_eq!(int(steps[back], "start_mono_ns") - int(step, "start_mono_ns"), 102 * MS);
            assert_eq!(back - place, 10, "the preempting step and nine of K alone");
            let chunks: Vec<i64> =
                (back..back + 3).map(|place| int(steps[place], "total_tokens") - 1).collect();
            assert_eq!(chunks[..2], [2047, 2047]);
            assert!((6..=22).contains(&chunks[2]));
        }
    }
    assert!(over_limit(&judge(&log)).is_empty());
}

#[test]
fn late_host() {
    let log = preset("late-host");
    assert_whole(&log);
    let stalls = over_limit(&judge(&log));
    assert_eq!(stalls.len(), 6);
    for judged in &stalls {
        assert_eq!((judged.stall.locus, judged.stall.duration_ns), (Locus::BetweenSteps, 250_200_000));
        assert_eq!((judged.limit.limit_ns, judged.limit.kind), (122e6, BaselineKind::Matched));
    }
    let share =
        stalls.iter().map(|judged| judged.stall.duration_ns).sum::<i64>() as f64 / log.length_ns() as f64;
    assert!((share - 0.133).abs() < 0.0005, "{share}");
    for request in ["D1", "D2", "D3", "D4"] {
        let gaps = log.token_gaps(request);
        let figures = [percentile(&gaps, 50), percentile(&gaps, 99), percentile(&gaps, 100)];
        assert_eq!(figures, [12_200_000, 12_200_000, 262_200_000]);
    }
}

#[test]
fn idle() {
    let log = preset("idle");
    assert_whole(&log);
    assert!(over_limit(&judge(&log)).is_empty());
    let a = log.id("a");
    let last_of_a = log.of_kind("completed").filter(|c| members(c).any(|m| m["internal"] == a)).last();
    let z = log.of_kind("enqueued").find(|e| e["internal"] == log.id("z")).expect("z arrives");
    let nothing = int(z, "mono_ns") - int(last_of_a.expect("a completes"), "mono_ns");
    assert_eq!(nothing / MS, 2000, "{nothing}");
    let share = nothing as f64 / log.length_ns() as f64;
    assert!((share - 0.62).abs() < 0.01, "{share}");
    let before_z = |step: &&serde_json::Value| int(step, "start_mono_ns") < int(z, "mono_ns");
    let empty = log.of_kind("scheduled").filter(before_z).filter(|step| members(step).count() == 0).count();
    assert_eq!(empty, 1);
}

#[test]
fn pause_reset() {
    let log = preset("pause-reset");
    assert_whole(&log);
    let diagnosis = judge(&log);
    assert!(over_limit(&diagnosis).is_empty());
    let pauses: Vec<i64> = diagnosis.pauses.iter().map(|(start, end)| end - start).collect();
    assert_eq!(pauses, [4200 * MS]);
    let resets: Vec<_> = log.of_kind("cache_reset").collect();
    assert_eq!(resets.len(), 1);
    assert_eq!(resets[0]["running"].as_array().map(Vec::len), Some(3));
    assert_eq!((&resets[0]["reset_running_requests"], &resets[0]["succeeded"]), (&true.into(), &true.into()));
    assert_eq!(preemptions(&log).len(), 3);
    let step = log.of_kind("scheduled").find(|step| !step["preempted"].as_array().expect("ids").is_empty());
    let step = step.expect("a step after the reset");
    let resumed: Vec<_> =
        members(step).map(|member| (int(member, "computed_before"), &member["recompute"])).collect();
    assert_eq!(resumed, [(0, &true.into()); 3]);
    assert_eq!(recomputed(&log).0, 1200);
}

#[test]
fn pause_unobserved() {
    let log = preset("pause-unobserved");
    assert_eq!(log.of_kind("pause").count(), 0);
    let diagnosis = judge(&log);
    let stalls = over_limit(&diagnosis);
    assert_eq!(stalls.len(), 1);
    assert_eq!((stalls[0].stall.locus, stalls[0].stall.duration_ns / MS), (Locus::BetweenSteps, 4203));
    assert_eq!(
        (diagnosis.verdict.reason, diagnosis.verdict.exceeds),
        (Some(Reason::PauseStateUnknown), None)
    );
}

#[test]
fn aborts() {
    let log = preset("aborts");
    assert_whole(&log);
    let mut finishes: BTreeMap<&str, usize> = BTreeMap::new();
    for terminal in log.of_kind("terminal") {
        *finishes.entry(text(terminal, "finish_reason")).or_default() += 1;
    }
    assert_eq!(finishes, BTreeMap::from([("abort", 7), ("length", 1)]));
    let aborted: Vec<&str> = log
        .of_kind("terminal")
        .filter(|terminal| terminal["finish_reason"] == "abort")
        .map(|terminal| text(terminal, "internal"))
        .collect();
    let prefill: Vec<i64> = aborted
        .iter()
        .map(|id| {
            let steps = log.of_kind("scheduled").flat_map(members);
            steps
                .filter(|member| member["internal"] == **id)
                .map(|member| int(member, "prefill_scheduled"))
                .sum()
        })
        .collect();
    assert_eq!(prefill.iter().sum::<i64>(), 3_010);
    assert_eq!(prefill.iter().filter(|&&tokens| tokens == 0).count(), 2, "never ran");
    for request in ["waiter1", "waiter2"] {
        let mono = |kind: &'static str| {
            let mut records = log.of_kind(kind);
            int(records.find(|record| record["internal"] == log.id(request)).expect("recorded"), "mono_ns")
        };
        let waited = mono("terminal") - mono("enqueued");
        assert!((30_000 * MS..30_030 * MS).contains(&waited), "{waited}");
    }
    assert!(over_limit(&judge(&log)).is_empty());
}

#[test]
fn drought() {
    let log = preset("drought");
    assert_whole(&log);
    let constrained: Vec<_> = log
        .of_kind("enqueued")
        .filter(|record| record["structured_output"] == true)
        .map(|r| int(r, "mono_ns"))
        .collect();
    assert_eq!(constrained.len(), 6);
    assert!(constrained.windows(2).all(|pair| pair[1] - pair[0] == 10_000 * MS));
    let end = log.of_kind("goodbye").map(|goodbye| int(goodbye, "mono_ns")).next().expect("a goodbye");
    assert_eq!(end - constrained[0], 540_000 * MS);
    let during = |step: &&serde_json::Value| int(step, "start_mono_ns") >= constrained[0];
    let steps: Vec<_> = log.of_kind("scheduled").filter(during).collect();
    assert!(steps.len() > 10_000 && steps.iter().all(|step| members(step).count() == 0));
    assert_eq!(log.of_kind("terminal").count(), 1);
    assert!(over_limit(&judge(&log)).is_empty());
}

#[test]
fn blocked_queue() {
    let log = preset("blocked-queue");
    assert_whole(&log);
    let mut waits: Vec<i64> = (0..10).map(|n| log.queue_wait(&format!("short{n}"))).collect();
    waits.sort_unstable();
    assert_eq!(percentile(&waits, 50), 3_468_600_000);
    let l = log.id("L");
    let prefill: Vec<_> = log
        .of_kind("scheduled")
        .filter(|step| members(step).any(|m| int(m, "prefill_scheduled") > 0 && m["internal"] == l))
        .collect();
    assert_eq!(prefill.len(), 16);
    assert_eq!(prefill.iter().filter(|step| int(step, "total_tokens") == 8192).count(), 15);
    assert!(over_limit(&judge(&log)).is_empty());
}

#[test]
fn capped() {
    let log = preset("capped");
    assert_eq!(log.of_kind("goodbye").count(), 0);
    assert!(log.epoch.state.reason() != "goodbye");
    let status = log.epoch.status.as_ref().expect("a status");
    assert!(status.capped, "{status:?}");
    let last_beat = log.of_kind("heartbeat").map(|beat| int(beat, "mono_ns")).max().expect("a heartbeat");
    assert!(
        log.summary.duration_ns - (last_beat - 86_400_000 * MS) > 20_000 * MS,
        "they stop long before the end"
    );
    let verdict = judge(&log).verdict;
    assert_eq!((verdict.reason, verdict.exceeds), (Some(Reason::HookCapped), None));
}

#[test]
fn hang_in_step() {
    let log = preset("hang-in-step");
    assert_eq!(log.of_kind("goodbye").count(), 0);
    let stalls = over_limit(&judge(&log));
    assert_eq!(stalls.len(), 1);
    assert!(stalls[0].stall.ongoing && stalls[0].stall.locus == Locus::WithinStep);
    assert!((stalls[0].stall.duration_ns - 60_000 * MS).abs() < 50 * MS, "{:?}", stalls[0]);
    let (step, completed) = log.steps().pop().expect("a step");
    assert_eq!((members(step).count(), completed), (3, None));
}

#[test]
fn hang_between() {
    let log = preset("hang-between");
    let stalls = over_limit(&judge(&log));
    assert_eq!(stalls.len(), 1);
    assert!(stalls[0].stall.ongoing && stalls[0].stall.locus == Locus::BetweenSteps);
    assert!((stalls[0].stall.duration_ns - 60_000 * MS).abs() < 50 * MS, "{:?}", stalls[0]);
    assert!(log.steps().iter().all(|(_, completed)| completed.is_some()));
}

#[test]
fn cliff() {
    let log = preset("cliff");
    let mut times: BTreeMap<bool, Vec<i64>> = BTreeMap::new();
    for (step, completed) in log.steps() {
        let is_decode = members(step).all(|member| int(member, "prefill_scheduled") == 0);
        if let Some(completed) = completed.filter(|_| is_decode) {
            let time = int(completed, "mono_ns") - int(step, "start_mono_ns");
            times.entry(members(step).count() > 64).or_default().push(time);
        }
    }
    for times in times.values_mut() {
        times.sort_unstable();
        assert!(times.len() >= 20);
    }
    let median = |large: bool| percentile(&times[&large], 50);
    assert_eq!(median(false), 12 * MS);
    assert!(median(true) >= 24 * MS);
}

#[test]
fn stalls_of_every_locus() {
    let log = preset("stalls");
    let found: Vec<Locus> = over_limit(&judge(&log)).iter().map(|judged| judged.stall.locus).collect();
    for locus in [Locus::InSchedule, Locus::WithinStep, Locus::BetweenSteps] {
        assert!(found.contains(&locus), "{locus:?} in {found:?}");
    }
}

#[test]
fn loss_ends_coverage_and_a_death_tears_a_line() {
    let log = preset("lossy");
    assert!(log.summary.dropped > 0);
    assert!(coverage(&log.epoch).spans.len() >= 2);
    assert!(judge(&log).verdict.detail.reasons.contains(&Reason::HookRecordsDropped));
    let log = preset("killed");
    assert!(log.epoch.truncated);
    assert_eq!(log.of_kind("goodbye").count(), 0);
    let log = preset("crashed");
    let failed: Vec<_> = log.of_kind("completed").filter(|record| record["update_failed"] == true).collect();
    assert_eq!(failed.len(), 1);
    assert!(
        members(failed[0]).count() > 0 && members(failed[0]).all(|member| member["outcome"] == "unknown")
    );
}
