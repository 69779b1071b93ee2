//! What is said of small logs.

mod common;

use common::{Log, MS, decode, epochs_of, fixture, prefill};
use stepscope_timeline::Timeline;
use stepscope_timeline::answers::{Level, Line, Link, Tab};

const SECOND: i64 = 1000 * MS;

fn trust(log: &Log) -> Line {
    log.timeline().overview(0).trust
}

fn verdict(log: &Log) -> Line {
    log.timeline().overview(0).verdict
}

/// Twenty-five steps of 10 ms, one member, one token, then one 740 ms late, with heartbeats around it
/// (`diagnose.md` §14).
fn late_step() -> Log {
    let mut log = Log::new();
    log.alias(0, "a", "cmpl-r1-0").enqueued(1, "a");
    for name in 0..25 {
        log.step(10 * name * MS, (10 * name + 9) * MS, name, &[decode("a", 10 + name)]);
    }
    log.heartbeat(249 * MS).alias(500 * MS, "b", "cmpl-r2-0").enqueued(500 * MS, "b");
    log.step(1000 * MS, 1009 * MS, 25, &[decode("a", 35)]);
    log.step(1010 * MS, 1030 * MS, 26, &[decode("a", 36).finishes("stop"), prefill("b", 0, 40, 40)]);
    log.terminal(1030 * MS, "a", "stop").heartbeat(1100 * MS).terminal(1200 * MS, "b", "abort");
    log
}

#[test]
fn a_whole_log_is_trusted() {
    let mut log = late_step();
    log.goodbye(1300 * MS);
    let line = trust(&log);
    assert_eq!(line.level, Level::Good);
    assert_eq!(
        line.parts.plain(),
        "Whole. 64 records, no gap, nothing dropped, ended by goodbye; known whole for 65.5 % of 1.30 s. Pauses, resets \
         and hand-overs recorded."
    );
    assert!(line.parts.0[0].strong);
}

#[test]
fn what_is_missing_is_said_first() {
    let mut log = Log::new();
    log.heartbeat(SECOND).lose().lose().heartbeat(2 * SECOND);
    log.status(2 * SECOND, "{\"scheduled\":3,\"completed\":1}", false);
    let line = trust(&log);
    assert_eq!(line.level, Level::Bad);
    let words = line.parts.plain();
    assert!(words.starts_with("Not whole. 3 records, 2 missing among them, 4 dropped by the writer (3 scheduled and 1 completed), "), "{words}");
    assert!(
        words.contains("known whole nowhere in 2.00 s (no two heartbeats with everything between them)"),
        "{words}"
    );
}

#[test]
fn a_damaged_line_leads_to_the_problems() {
    let mut log = Log::new();
    log.heartbeat(SECOND).put("heartbeat", "\"broken\":").goodbye(2 * SECOND);
    let timeline = log.timeline();
    let line = timeline.overview(0).trust;
    assert_eq!(line.level, Level::Bad);
    let link = line.parts.0.iter().find(|part| part.text == "1 problem").and_then(|part| part.link);
    assert_eq!(link, Some(Link::Tab { tab: Tab::Problems }));
    let problems = timeline.problems(0, 9);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].place, "000000.jsonl:3");
    assert_eq!(problems[0].instead, "the line was left out");
    assert!(timeline.problems(1, 9).is_empty());
}

/// Scenario 9 of `insight.md` §5: a capped log ends; it does not hang.
#[test]
fn a_capped_log_is_no_hang() {
    let mut log = late_step();
    log.status(900 * SECOND, "{\"scheduled\":100000,\"goodbye\":1}", true);
    let words = trust(&log).parts.plain();
    assert!(words.contains("the log ends at 1.2 s: capped at"), "{words}");
    assert!(words.contains("100,001 records not written since"), "{words}");
    assert!(words.starts_with("Whole until it was capped. 63 records, no gap, nothing dropped, "), "{words}");
    assert!(log.timeline().stall_rows().iter().all(|row| !row.ongoing));
    let entry = log.timeline().entry(0);
    assert_eq!(entry.state_text, "capped: the log ends before the server did");
    assert!(!words.contains("hang") && !log.timeline().summary().contains("hang"));
}

#[test]
fn a_log_without_a_goodbye_says_what_that_can_mean() {
    let mut log = Log::new();
    log.heartbeat(SECOND).heartbeat(2 * SECOND);
    let line = trust(&log);
    assert_eq!(line.level, Level::Note);
    let words = line.parts.plain();
    assert!(words.starts_with("Whole as far as it goes. 3 records, "), "{words}");
    assert!(words.contains("ends at 2.0 s without a goodbye: the process was killed, or ran on"), "{words}");
}

#[test]
fn a_refusal_is_told_in_words() {
    let mut log = Log::default();
    log.put(
        "hello",
        r#""role":"engine","host":"h","enabled":false,"refused":"vllm 0.31.0 is not supported; pooling model","observes":[]"#,
    );
    log.heartbeat(SECOND).goodbye(2 * SECOND);
    let overview = log.timeline().overview(0);
    let refused = "vllm 0.31.0 is not supported; pooling model";
    assert_eq!(overview.entry.refused.as_deref(), Some(refused));
    let empty = overview.empty.expect("there is nothing to draw");
    assert_eq!(empty.title, "This engine was not recorded");
    assert!(empty.parts.plain().contains(refused));
    assert!(overview.trust.parts.plain().starts_with("Nothing was recorded. "));
    assert_eq!(overview.verdict.parts.plain(), "No verdict. Nothing was recorded.");
}

#[test]
fn the_verdict_names_the_worst_stall_and_leads_to_it() {
    let mut log = late_step();
    log.goodbye(1300 * MS);
    let line = verdict(&log);
    assert_eq!(line.level, Level::Bad);
    assert_eq!(
        line.parts.plain(),
        "1 stall over its limit; the host's. 751 ms between steps at 0.2 s, limit 100 ms. 0 preemptions."
    );
    let links: Vec<Link> = line.parts.0.iter().filter_map(|part| part.link).collect();
    assert_eq!(links, [Link::Tab { tab: Tab::Stalls }, Link::Stall { index: 0 }]);
}

#[test]
fn a_stall_is_explained() {
    let mut log = late_step();
    log.goodbye(1300 * MS);
    let told = log.timeline().explain_stall(0).expect("there is one");
    assert_eq!(told.title, "751 ms between steps");
    assert_eq!(told.whose, "the host's");
    assert_eq!(
        told.text.plain(),
        "Step 24 completed at 0.249 s; schedule() was entered again at 1.000 s. One request was running and ready all \
         that time. Nothing was paused. "
    );
    assert_eq!(told.text.0[0].link, Some(Link::Step { index: 24 }));
    let facts: Vec<(String, String)> =
        told.facts.iter().map(|fact| (fact.label.clone(), fact.parts.plain())).collect();
    let fact = |label: &str| facts.iter().find(|fact| fact.0 == label).map_or("", |fact| fact.1.as_str());
    assert_eq!(fact("Limit"), "100 ms: 10 × 10 ms, the median of 24 steps of 1 token in the 30 s before");
    assert_eq!(fact("Records"), "whole around it (heartbeats 0.2 s, 1.1 s)");
    assert_eq!(fact("Ready"), "cmpl-r1-0");
    assert_eq!(fact("Before · after"), "step 24 (1 decode) · step 25 (1 decode)");
    assert_eq!(fact("Cost"), "1 request × 751 ms; 1 arrival waited 500 ms");
    assert!(log.timeline().explain_stall(1).is_none());
}

#[test]
fn a_pause_that_is_not_recorded_is_a_doubt() {
    let mut log = Log::observing("[]");
    for name in 0..25 {
        log.step(10 * name * MS, (10 * name + 9) * MS, name, &[decode("a", 10 + name)]);
    }
    log.heartbeat(249 * MS).step(1000 * MS, 1009 * MS, 25, &[decode("a", 35)]).heartbeat(1100 * MS);
    let words = verdict(&log).parts.plain();
    assert!(
        words.contains("Doubtful: pauses are not recorded, and the worst one may be a pause."),
        "{words}"
    );
    let told = log.timeline().explain_stall(0).expect("there is one").text.plain();
    assert!(told.contains("Pauses are not recorded: it may have been one."), "{told}");
}

/// Under asynchronous scheduling the same time is listed twice and counted once.
#[test]
fn a_stall_seen_again_from_the_step_in_flight_is_not_added() {
    let mut log = Log::new();
    let member = |name: i64| [decode("a", 10 + name)];
    log.scheduled(0, MS, 0, &member(0), &[]);
    let mut t = 0;
    for name in 1..40 {
        // The next is scheduled before the one in flight completes; the fortieth comes 800 ms late.
        let late = if name == 39 { 800 * MS } else { 0 };
        log.scheduled(t + 5 * MS + late, t + 6 * MS + late, name, &member(name), &[]);
        log.completed(t + 10 * MS + late, name - 1, &member(name - 1));
        t += 10 * MS + late;
        if name % 10 == 0 {
            log.heartbeat(t);
        }
    }
    log.completed(t + 10 * MS, 39, &member(39)).heartbeat(t + 20 * MS).goodbye(t + 30 * MS);
    let timeline = log.timeline();
    let rows = timeline.stall_rows();
    let lengths: Vec<(bool, f64)> = rows.iter().map(|row| (row.overlapped, row.duration_ns)).collect();
    assert_eq!(lengths, [(true, 810e6), (false, 805e6)]);
    // 810 ms in all, not 1615.
    assert_eq!(timeline.stalls_over_limit(), (1, 805 * MS));
    assert_eq!(timeline.entry(0).stalls_over_limit, 1);
    let words = timeline.overview(0).verdict.parts.plain();
    assert!(words.starts_with("1 stall over its limit; the host's. 805 ms between steps"), "{words}");
    let told = timeline.explain_stall(0).expect("there is one").text.plain();
    assert!(told.contains("never add the two"), "{told}");
}

/// C4: with heartbeats going on past an unfinished step the stall goes on until the last of them.
#[test]
fn an_ongoing_stall_goes_on_until_the_last_sign_of_life() {
    let mut log = Log::new();
    log.step(0, 10 * MS, 0, &[decode("a", 10)]).scheduled(12 * MS, 13 * MS, 1, &[decode("a", 11)], &[]);
    for second in 1..=60 {
        log.heartbeat(second * SECOND);
    }
    let timeline = log.timeline();
    let words = timeline.overview(0).verdict.parts.plain();
    assert!(
        words.contains("60.0 s within a step at 0.0 s, not over when the log ends, limit 500 ms."),
        "{words}"
    );
    assert!(words.ends_with("Judged as of the writer's last sign of life."), "{words}");
    let told = timeline.explain_stall(0).expect("there is one");
    assert!(
        told.text.plain().contains("Step 1 was scheduled; its output never came."),
        "{}",
        told.text.plain()
    );
    assert!(told.row.ongoing);
    // In the loop, too, the last step is in flight.
    assert!(timeline.tracks(30e9, 31e9, 1).stall.iter().all(|&code| code == 3));
}

#[test]
fn a_status_after_the_last_record_bounds_an_ongoing_stall() {
    let mut log = Log::new();
    log.step(0, 10 * MS, 0, &[decode("a", 10)]).heartbeat(SECOND).status(3 * SECOND, "{}", false);
    let timeline = log.timeline();
    assert_eq!(timeline.overview(0).t1, 3e9);
    assert!(timeline.overview(0).verdict.parts.plain().contains("2.99 s between steps"));
}

#[test]
fn where_the_reference_differs_is_noted() {
    let mut log = Log::new();
    log.step(0, 10 * MS, 0, &[decode("a", 10)]).step(12 * MS, 14 * MS, 1, &[]);
    log.heartbeat(SECOND).heartbeat(2 * SECOND);
    let overview = log.timeline().overview(0);
    assert_eq!(
        overview.differences,
        ["the reference reports no ongoing stall here: its last step had no members"]
    );
    assert!(log.timeline().summary().contains("Note     the reference reports no ongoing stall here"));
}

#[test]
fn a_long_mixed_step_is_worded_as_one() {
    let mut log = Log::new();
    for name in 0..30 {
        log.step(10 * name * MS, (10 * name + 9) * MS, name, &[decode("a", 10 + name)]);
    }
    log.step(300 * MS, 1500 * MS, 30, &[decode("a", 40), prefill("b", 0, 1000, 2000)]).goodbye(1600 * MS);
    let words = verdict(&log).parts.plain();
    assert!(
        words.contains("It carried prefill and has no baseline of its size: rather a long mixed step."),
        "{words}"
    );
    let told = log.timeline().explain_stall(0).expect("there is one").text.plain();
    assert!(told.contains("rather a long mixed step than a stall"), "{told}");
}

#[test]
fn a_step_says_why_it_took_so_long() {
    let mut log = Log::new();
    for name in 0..30 {
        log.step(10 * name * MS, (10 * name + 9) * MS, name, &[decode("a", 10 + name)]);
    }
    log.step(300 * MS, 341 * MS, 30, &[decode("a", 40)]);
    log.step(350 * MS, 380 * MS, 31, &[decode("a", 41), prefill("b", 0, 52, 52)]).goodbye(400 * MS);
    let timeline = log.timeline();
    let slow = timeline.step(30).expect("there is one");
    assert_eq!(slow.title, "Step 30 · 40.0 ms");
    assert_eq!(
        slow.text.plain(),
        "1 token for 1 member: 1 decode. It took 40.0 ms, 5.0 × what is usual: 8.00 ms is usual for 1 token (30 steps in \
         the 30 s before). "
    );
    let mixed = timeline.step(31).expect("there is one");
    assert_eq!(
        mixed.text.plain(),
        "53 tokens for 2 members: 1 decode, 1 prefill of 52. Prefill is 98.1 % of its tokens; 1 decode waited for it. "
    );
    let fact = |label: &str| {
        mixed
            .facts
            .iter()
            .find(|fact| fact.label == label)
            .map_or_else(String::new, |fact| fact.parts.plain())
    };
    assert_eq!(fact("Tokens"), "53 of 2,048 in the budget");
    assert_eq!(fact("Requests"), "2 of 4 seats, 0 waiting");
    assert_eq!(fact("Gap before"), "9.00 ms since the latest completion");
    assert_eq!((mixed.previous, mixed.next), (Some(30), None));
    assert_eq!(mixed.members.len(), 2);
    let column =
        |name: &str| mixed.member_columns.iter().position(|column| *column == name).expect("it is there");
    let cell = |member: usize, name: &str| mixed.members[member].cells[column(name)].clone();
    assert_eq!(cell(1, "prefill_scheduled").as_deref(), Some("52"));
    assert_eq!(cell(1, "sighting").as_deref(), Some("first"));
    assert_eq!(cell(1, "outcome").as_deref(), Some("kept"));
    // Null in the log is "not recorded", never zero.
    assert_eq!(cell(0, "cached_at_admission"), None);
    assert_eq!(cell(1, "cached_at_admission").as_deref(), Some("0"));
    assert!(timeline.step(32).is_none());
}

#[test]
fn the_cursor_tells_step_pause_and_what_is_not_known() {
    let mut log = late_step();
    log.pause(1210 * MS, "PAUSED_ALL").goodbye(1300 * MS);
    let timeline = log.timeline();
    let card = timeline.cursor(105.0e6);
    assert_eq!(card.title, "0.105 s · step 10");
    assert_eq!(card.step, Some(10));
    assert_eq!(
        card.lines,
        [
            "1 member: 1 decode",
            "1 of 2,048 tokens · 1 of 4 seats",
            "step 8.00 ms · schedule 1.00 ms",
            "records may be missing here"
        ]
    );
    let card = timeline.cursor(600e6);
    assert_eq!(card.title, "0.600 s · after step 24");
    assert!(card.lines.contains(&"stall: 751 ms between steps, limit 100 ms".to_owned()), "{card:?}");
    assert!(timeline.cursor(1250e6).lines.contains(&"PAUSED_ALL for 90.0 ms".to_owned()));
    assert_eq!(timeline.cursor(9e9).lines, ["after the end of the log"]);
}

#[test]
fn settings_are_grouped_and_absent_ones_are_not_recorded() {
    let rows = Log::new().timeline().config();
    let value = |group: &str, label: &str| {
        let row = rows.iter().find(|row| row.group == group && row.label == label);
        row.unwrap_or_else(|| panic!("{group} {label}")).value.clone()
    };
    assert_eq!(value("scheduler", "max_num_seqs").as_deref(), Some("4"));
    assert_eq!(value("engine", "executor").as_deref(), Some("mp"));
    assert_eq!(value("engine", "speculative").as_deref(), Some("not set"));
    assert_eq!(value("memory", "block_size"), None);
    assert_eq!(value("profiler", "profiler.max_iterations").as_deref(), Some("0"));
    assert_eq!(value("other", "new_setting").as_deref(), Some("true"));
    assert_eq!(value("recorder", "observes").as_deref(), Some("cache_reset, enqueued, pause"));
    let order: Vec<&str> = rows.iter().map(|row| row.group).collect();
    let mut groups = order.clone();
    groups.dedup();
    assert_eq!(groups, ["engine", "scheduler", "memory", "profiler", "other", "recorder"]);
}

#[test]
fn text_of_the_log_cannot_pass_for_something_else() {
    let mut log = Log::new();
    let id = "<img src=x onerror=alert(1)>\\u001b[31m\\u202e";
    log.alias(0, id, id).enqueued(1, id).heartbeat(SECOND);
    let timeline = log.timeline();
    let marks = timeline.marks(stepscope_timeline::answers::Track::Members, 0.0, 1e9, 0, 9);
    assert!(
        marks.rows[0].text.starts_with("<img src=x onerror=alert(1)>\u{fffd}[31m\u{fffd}: "),
        "{}",
        marks.rows[0].text
    );
    assert!(!timeline.summary().contains('\u{1b}'));
}

#[test]
fn the_summary_is_a_dozen_lines() {
    let mut log = late_step();
    log.goodbye(1300 * MS);
    let summary = log.timeline().summary();
    let lines: Vec<&str> = summary.lines().collect();
    assert_eq!(lines.len(), 7, "{summary}");
    assert_eq!(lines[0], "node-7 · engine 812 · 2026-11-30 19:21:05 – 19:21:06 UTC (1.30 s)");
    assert!(lines[1].starts_with("Trust    Whole. 64 records"));
    assert!(lines[2].starts_with("Verdict  1 stall over its limit"));
    assert_eq!(
        lines[3],
        "  1.     751 ms between steps at 0.249 s, the host's, limit 100 ms (10 × 10 ms, the median of 24 steps of 1 \
         token in the 30 s before), 1 request ready"
    );
    assert!(
        lines[4].starts_with("Loop     17.5 % within steps, 2.1 % in schedule(), 72.8 % between steps, "),
        "{}",
        lines[4]
    );
    assert_eq!(
        lines[5],
        "Load     2 requests, 27 steps, 28 memberships; at most 2 of 4 live, 1 waiting; largest step 41 of 2,048 tokens"
    );
    assert!(lines[6].starts_with("Engine   vLLM 0.30.0, executor mp, tp 1, max_num_seqs 4"));
}

/// The real epochs say what is known of them.
#[test]
fn real_epochs_are_told_as_they_were() {
    let engines = |name: &str| -> Vec<Timeline> {
        let epochs = epochs_of(&fixture("epochs").join(name));
        epochs.into_iter().map(Timeline::new).filter(|timeline| !timeline.steps().is_empty()).collect()
    };
    let stalls = &engines("stalls")[0];
    let words = stalls.overview(0).verdict.parts.plain();
    assert!(words.contains("First-call warm-up (2.04 s) set apart."), "{words}");
    assert!(words.contains("1 late heartbeat outside every stall"), "{words}");
    assert!(words.contains("Worst: 1.50 s between steps"), "{words}");
    let rows = stalls.stall_rows();
    assert!(
        rows.iter().filter(|row| row.warm_up).all(|row| row.index + 2 >= rows.len() as u32),
        "ranked apart"
    );

    let steady = engines("steady")[0].overview(0);
    assert!(steady.verdict.parts.plain().contains("First-call warm-up"), "{}", steady.verdict.parts.plain());
    assert_eq!(steady.trust.level, Level::Good);
    assert_eq!((steady.requests, steady.steps), (256, 8111));

    let preempt = engines("preempt")[0].overview(0);
    assert!(
        preempt.verdict.parts.plain().contains("169 preemptions of"),
        "{}",
        preempt.verdict.parts.plain()
    );

    let crashed = engines("crashed")[0].overview(0);
    assert!(crashed.verdict.parts.plain().contains("The last step, step 45, has no outcome."));

    let killed = engines("killed_torn")[0].overview(0);
    assert!(killed.trust.parts.plain().contains("ends inside a line"), "{}", killed.trust.parts.plain());
}
