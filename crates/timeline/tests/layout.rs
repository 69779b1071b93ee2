//! The layout of small logs: stays of requests, tokens by purpose, step times, who was live, what the loop did.

mod common;

use common::{Log, MS, decode, prefill};
use stepscope_timeline::answers::{Order, OwnRequest, RequestOrder, Track};
use stepscope_timeline::{Ended, LaneOrder, Shares, Timeline, Tokens};

fn stays(timeline: &Timeline) -> Vec<(String, i64, i64, Ended, usize)> {
    let stays = timeline.executions();
    (0..stays.len())
        .map(|stay| {
            let name = stays.name(timeline.epoch(), stay);
            (name, stays.begin(stay), stays.end(stay), stays.ended(stay), stays.steps(stay).len())
        })
        .collect()
}

#[test]
fn a_stay_begins_at_its_admission_and_ends_at_its_terminal() {
    let mut log = Log::new();
    log.alias(10, "a", "cmpl-x-0").enqueued(20, "a");
    log.step(30, 30 + 2 * MS, 0, &[prefill("a", 0, 10, 10)]);
    log.scheduled(4 * MS, 5 * MS, 1, &[decode("a", 10)], &[]).terminal(7 * MS - 1, "a", "length");
    log.completed(7 * MS, 1, &[decode("a", 10).finishes("length")]).heartbeat(8 * MS);
    let timeline = log.timeline();
    assert_eq!(stays(&timeline), [("cmpl-x-0".to_owned(), 10, 7 * MS - 1, Ended::Length, 2)]);
    assert_eq!(timeline.executions().enqueued(timeline.epoch(), timeline.clock(), 0), Some(20));
}

#[test]
fn a_reused_id_has_several_stays() {
    let mut log = Log::new();
    log.alias(10, "a", "one").enqueued(20, "a");
    log.step(30, 2 * MS, 0, &[prefill("a", 0, 10, 10)]).terminal(2 * MS, "a", "stop");
    log.alias(3 * MS, "a", "two").enqueued(3 * MS + 1, "a");
    log.step(4 * MS, 6 * MS, 1, &[prefill("a", 0, 10, 10)]).terminal(6 * MS, "a", "abort");
    // A third stay without an admission, as in a log that does not record it; it is not over.
    log.step(8 * MS, 10 * MS, 2, &[prefill("a", 0, 10, 10)]);
    let timeline = log.timeline();
    let expected = [
        ("one".to_owned(), 10, 2 * MS, Ended::Stop, 1),
        ("two".to_owned(), 3 * MS, 6 * MS, Ended::Abort, 1),
        ("a".to_owned(), 8 * MS, 10 * MS, Ended::Not, 1),
    ];
    assert_eq!(stays(&timeline), expected);
    let a = timeline.executions().internal(0);
    assert_eq!([0, 1, 2].map(|step| timeline.executions().find(a, step, 0)), [Some(0), Some(1), Some(2)]);
    // Later ones sit where the first sat.
    assert_eq!(timeline.executions().lanes(), 1);
}

#[test]
fn an_admission_written_late_belongs_to_the_stay_it_was_stamped_for() {
    let mut log = Log::new();
    log.enqueued(20, "a").step(30, 2 * MS, 0, &[prefill("a", 0, 10, 10)]);
    log.alias(10, "a", "late").terminal(3 * MS, "a", "stop").heartbeat(4 * MS);
    assert_eq!(stays(&log.timeline()), [("late".to_owned(), 10, 3 * MS, Ended::Stop, 1)]);
}

#[test]
fn a_second_input_of_a_live_request_is_no_second_stay() {
    let mut log = Log::new();
    log.alias(10, "a", "x").enqueued(20, "a").step(30, 2 * MS, 0, &[prefill("a", 0, 10, 10)]);
    log.alias(3 * MS, "a", "x").step(4 * MS, 5 * MS, 1, &[decode("a", 10)]).terminal(6 * MS, "a", "stop");
    assert_eq!(stays(&log.timeline()).len(), 1);
}

#[test]
fn a_stay_whose_end_fell_into_a_hole_is_lost_from_sight_there() {
    let mut log = Log::new();
    log.alias(10, "a", "x").step(MS, 2 * MS, 0, &[prefill("a", 0, 10, 10)]).heartbeat(3 * MS);
    log.lose().heartbeat(90 * MS).alias(91 * MS, "b", "y").heartbeat(95 * MS);
    let timeline = log.timeline();
    let stays = stays(&timeline);
    assert_eq!((stays[0].2, stays[0].3), (3 * MS, Ended::Lost));
    assert_eq!((stays[1].2, stays[1].3), (95 * MS, Ended::Not));
    // What the loop did in the hole is not known, and not known is not idle.
    assert_eq!(timeline.loop_shares(3 * MS, 90 * MS), Shares::default());
}

#[test]
fn an_outcome_that_finished_ends_a_stay_without_a_terminal() {
    let mut log = Log::new();
    log.step(MS, 2 * MS, 0, &[prefill("a", 0, 10, 10).finishes("stop")]).heartbeat(9 * MS);
    assert_eq!(stays(&log.timeline()), [("a".to_owned(), MS, 2 * MS, Ended::Stop, 1)]);
}

/// Scenario 2 of `insight.md` §5 in small: what was computed and is computed again.
#[test]
fn recomputed_tokens_are_those_below_the_highest_committed_context() {
    let mut log = Log::new();
    log.step(0, 2 * MS, 0, &[prefill("a", 0, 10, 10), prefill("b", 0, 10, 10)]);
    log.step(3 * MS, 5 * MS, 1, &[decode("a", 10), decode("b", 10)]);
    log.scheduled(6 * MS, 7 * MS, 2, &[decode("a", 11)], &["b"]).completed(8 * MS, 2, &[decode("a", 11)]);
    // b had 11; it comes back with 6 of its prompt, then the rest and a new token.
    log.step(9 * MS, 10 * MS, 3, &[decode("a", 12), prefill("b", 0, 6, 10)]);
    log.step(11 * MS, 13 * MS, 4, &[prefill("b", 6, 6, 10)]).heartbeat(14 * MS);
    let timeline = log.timeline();
    let tokens: Vec<Tokens> = (0..5).map(|step| timeline.steps().tokens(step)).collect();
    let of = |prefill, decode, recompute| Tokens { prefill, decode, recompute };
    assert_eq!(tokens, [of(20, 0, 0), of(0, 2, 0), of(0, 1, 0), of(0, 1, 6), of(0, 1, 5)]);
    let rows = timeline.step_rows(Order::Time, 0, 9);
    assert_eq!(
        rows.iter().map(|row| row.kind).collect::<Vec<_>>(),
        ["prefill", "decode", "decode", "mixed", "mixed"]
    );
    assert_eq!(rows.iter().map(|row| row.recompute).collect::<Vec<_>>(), [false, false, false, true, true]);
    assert_eq!(rows[2].preempted, 1);
    // The log's own numbers stay as they are.
    assert_eq!((rows[4].prefill_tokens, rows[4].decode_tokens), (4.0, 2.0));
    let detail = timeline.step(4).expect("there is one");
    let cells = &detail.members[0].cells;
    assert_eq!(detail.member_columns.last(), Some(&"recomputed tokens"));
    assert_eq!(cells.last().cloned().flatten().as_deref(), Some("5"));
    // Its lane: prefill, decode, preempted until it comes back, recompute.
    let lanes = timeline.lanes(0.0, (14 * MS) as f64, 1400, 1, 2, LaneOrder::Seats);
    let mut kinds = lanes.run_kind.clone();
    kinds.dedup();
    assert_eq!(kinds, [1, 5, 2, 5, 6, 3, 5, 3, 5], "{kinds:?}");
}

#[test]
fn preemptions_that_a_reset_made_are_told_apart() {
    let mut log = Log::new();
    log.step(0, MS * 2, 0, &[prefill("a", 0, 10, 10), prefill("b", 0, 10, 10)]);
    log.cache_reset(3 * MS, 4 * MS, &["a"]);
    log.scheduled(5 * MS, 6 * MS, 1, &[prefill("a", 0, 10, 10)], &["a", "b"]).heartbeat(9 * MS);
    let timeline = log.timeline();
    let summary = timeline.summary();
    assert!(summary.contains("2 preemptions of 2 requests, 1 by cache resets"), "{summary}");
    let marks = timeline.marks(Track::Loop, 0.0, 1e9, 0, 9);
    assert!(marks.rows.iter().any(|mark| mark.text == "prefix cache reset"));
    assert!(marks.rows.iter().any(|mark| mark.text.contains("preempted 2 requests")));
}

/// `insight.md` §2: step times add up without counting a moment twice.
#[test]
fn step_times_of_overlapping_steps_add_up_to_the_time_in_flight() {
    let mut log = Log::new();
    let (a, b) = ([decode("a", 10)], [decode("a", 11)]);
    log.scheduled(0, MS, 0, &a, &[]).scheduled(2 * MS, 3 * MS, 1, &b, &[]);
    log.completed(10 * MS, 0, &a).scheduled(11 * MS, 12 * MS, 2, &[decode("a", 12)], &[]);
    log.completed(20 * MS, 1, &b).completed(30 * MS, 2, &[decode("a", 12)]).heartbeat(30 * MS);
    let timeline = log.timeline();
    let rows = timeline.step_rows(Order::Time, 0, 9);
    let times: Vec<f64> = rows.iter().filter_map(|row| row.step_ns).collect();
    assert_eq!(times, [9e6, 10e6, 10e6]);
    assert_eq!(rows[1].residence_ns, Some(18e6));
    let shares = timeline.loop_shares(0, 30 * MS);
    assert_eq!((shares.in_schedule, shares.within_step, shares.between), (3 * MS, 27 * MS, 0));
    let longest = timeline.step_rows(Order::Longest, 0, 9);
    assert_eq!(longest.iter().map(|row| row.index).collect::<Vec<_>>(), [1, 2, 0]);
}

#[test]
fn a_step_that_completed_out_of_turn_takes_no_negative_time() {
    let mut log = Log::new();
    log.scheduled(0, 2 * MS, 0, &[decode("a", 10)], &[]).scheduled(
        5 * MS,
        7 * MS,
        1,
        &[decode("b", 10)],
        &[],
    );
    log.completed(8 * MS, 1, &[decode("b", 10)]).completed(20 * MS, 0, &[decode("a", 10)]).heartbeat(21 * MS);
    let times: Vec<_> = log.timeline().step_rows(Order::Time, 0, 9).iter().map(|row| row.step_ns).collect();
    assert_eq!(times, [Some(18e6), Some(0.0)]);
}

#[test]
fn the_loop_is_idle_only_when_nobody_is_there_and_paused_only_when_nothing_runs() {
    let mut log = Log::new();
    log.alias(10 * MS, "a", "x").enqueued(10 * MS, "a");
    log.step(14 * MS, 20 * MS, 0, &[prefill("a", 0, 10, 10)]);
    log.pause(22 * MS, "PAUSED_ALL").pause(26 * MS, "UNPAUSED");
    log.step(30 * MS, 35 * MS, 1, &[decode("a", 10).finishes("stop")]).terminal(35 * MS, "a", "stop");
    log.pause(40 * MS, "PAUSED_NEW").pause(50 * MS, "UNPAUSED").heartbeat(60 * MS);
    let timeline = log.timeline();
    let shares = |from, to| timeline.loop_shares(from * MS, to * MS);
    assert_eq!(shares(0, 10), Shares { idle: 10 * MS, ..Shares::default() });
    assert_eq!(shares(10, 14), Shares { between: 4 * MS, ..Shares::default() });
    assert_eq!(shares(14, 20), Shares { in_schedule: MS, within_step: 5 * MS, ..Shares::default() });
    assert_eq!(shares(20, 30), Shares { between: 6 * MS, paused: 4 * MS, ..Shares::default() });
    assert_eq!(shares(35, 60), Shares { idle: 15 * MS, paused: 10 * MS, ..Shares::default() });
    let overview = timeline.overview(0);
    let pauses: Vec<_> =
        overview.pauses.iter().map(|pause| (pause.t0, pause.t1, pause.state.as_str())).collect();
    assert_eq!(pauses, [(22e6, 26e6, "PAUSED_ALL"), (40e6, 50e6, "PAUSED_NEW")]);
    // The wait of the paused request is hatched.
    let lanes = timeline.lanes(20e6, 30e6, 1000, 0, 1, LaneOrder::Seats);
    let mut kinds = lanes.run_kind.clone();
    kinds.dedup();
    assert_eq!(kinds, [1, 5, 7, 5, 2]);
}

#[test]
fn a_step_without_an_outcome_is_in_flight_only_where_the_log_says_so() {
    let mut log = Log::new();
    log.step(0, 5 * MS, 0, &[prefill("a", 0, 10, 10)]);
    // The outcome of this one is lost; how long it ran until the next is not known.
    log.scheduled(6 * MS, 7 * MS, 1, &[decode("a", 10)], &[]);
    log.scheduled(20 * MS, 21 * MS, 2, &[decode("a", 11)], &[]).heartbeat(30 * MS);
    let timeline = log.timeline();
    assert_eq!(timeline.loop_shares(7 * MS, 20 * MS), Shares::default());
    // The last one is in flight when the log ends.
    assert_eq!(timeline.loop_shares(21 * MS, 30 * MS).within_step, 9 * MS);
    let tracks = timeline.tracks(0.0, 30e6, 30);
    assert_eq!(tracks.marks.iter().filter(|&&bits| bits & 16 != 0).count(), 2);
    log.goodbye(31 * MS);
    assert_eq!(log.timeline().loop_shares(21 * MS, 30 * MS).within_step, 0);
}

#[test]
fn who_waits_is_not_known_without_hand_overs() {
    let mut log = Log::observing("[\"pause\"]");
    log.alias(MS, "a", "x").step(5 * MS, 6 * MS, 0, &[prefill("a", 0, 10, 10)]).heartbeat(9 * MS);
    let timeline = log.timeline();
    let overview = timeline.overview(0);
    assert!(!overview.waiting_recorded);
    let tracks = timeline.tracks(0.0, overview.t1, 50);
    assert!(tracks.waiting.iter().all(|waiting| waiting.is_nan()));
    assert!(tracks.live.contains(&1.0));
    assert!(timeline.summary().contains("waiting not recorded"));
    assert!(overview.trust.parts.plain().contains("Resets and hand-overs not recorded."));
    // Between admission and first step somebody is there all the same: the loop is not idle.
    assert_eq!(timeline.loop_shares(MS, 5 * MS).between, 4 * MS);
}

#[test]
fn live_and_waiting_follow_admission_preemption_and_end() {
    let mut log = Log::new();
    log.alias(MS, "a", "x").enqueued(MS, "a").alias(2 * MS, "b", "y").enqueued(2 * MS, "b");
    log.step(4 * MS, 6 * MS, 0, &[prefill("a", 0, 10, 10), prefill("b", 0, 10, 10)]);
    log.scheduled(8 * MS, 9 * MS, 1, &[decode("a", 10)], &["b"]).completed(10 * MS, 1, &[decode("a", 10)]);
    log.step(12 * MS, 14 * MS, 2, &[prefill("b", 0, 10, 10)])
        .terminal(14 * MS, "b", "stop")
        .heartbeat(16 * MS);
    let timeline = log.timeline();
    let at = |ms: f64| {
        let tracks = timeline.tracks(ms * 1e6, ms * 1e6 + 1.0, 1);
        (tracks.live[0] as u32, tracks.waiting[0] as u32)
    };
    assert_eq!(
        [0.5, 1.5, 3.0, 5.0, 8.5, 13.0, 15.0].map(at),
        [(0, 0), (0, 1), (0, 2), (2, 0), (1, 1), (2, 0), (1, 0)]
    );
}

#[test]
fn coverage_tells_whole_silent_not_known_and_after_apart() {
    let mut log = Log::new();
    let second = 1000 * MS;
    log.heartbeat(second).heartbeat(2 * second).heartbeat_with(3 * second, "{\"scheduled\":2}");
    log.heartbeat_with(10 * second, "{\"scheduled\":2}").goodbye(11 * second);
    let timeline = log.timeline();
    let tracks = timeline.tracks(-1e9, 13e9, 14);
    let at = |s: f64| tracks.coverage[((s * 1e9 - tracks.t0) / tracks.bin_ns) as usize];
    assert_eq!([-0.7, 0.3, 1.5, 2.5, 5.0, 10.5, 12.5].map(at), [0, 2, 1, 2, 3, 2, 4]);
    let marks = timeline.marks(Track::Coverage, 0.0, 13e9, 0, 9);
    assert!(marks.rows.iter().any(|mark| mark.text == "the writer was silent for 7.00 s"), "{marks:?}");
}

#[test]
fn runs_of_empty_steps_are_one_line() {
    let mut log = Log::new();
    log.step(0, 2 * MS, 0, &[prefill("a", 0, 10, 10)]);
    for name in 1..=50 {
        log.step(name * 4 * MS, name * 4 * MS + 2 * MS, name, &[]);
    }
    log.step(300 * MS, 302 * MS, 51, &[decode("a", 10)]).heartbeat(400 * MS);
    let timeline = log.timeline();
    let rows = timeline.step_rows(Order::Time, 0, 99);
    assert_eq!(rows.iter().map(|row| (row.index, row.count)).collect::<Vec<_>>(), [(0, 1), (1, 50), (51, 1)]);
    assert_eq!((rows[1].t0, rows[1].t1), (4e6, 202e6));
    assert_eq!(timeline.row_of_step(Order::Time, 30), 1);
    assert_eq!(timeline.overview(0).step_rows, 3);
}

#[test]
fn requests_are_listed_with_their_waits_sorted_and_searched() {
    let mut log = Log::new();
    log.alias(0, "a", "cmpl-A").enqueued(MS / 10, "a");
    log.alias(MS, "b", "cmpl-B").enqueued(MS, "b");
    log.step(2 * MS, 4 * MS, 0, &[prefill("a", 0, 10, 10)]);
    log.step(5 * MS, 7 * MS, 1, &[decode("a", 10), prefill("b", 0, 5, 10)]);
    log.step(8 * MS, 9 * MS, 2, &[decode("a", 11).finishes("stop"), prefill("b", 5, 5, 10)]);
    log.terminal(9 * MS, "a", "stop");
    // Never admitted as far as the log says, and never ended.
    log.step(10 * MS, 12 * MS, 3, &[decode("c", 10)]);
    let timeline = log.timeline();
    let all = timeline.request_rows(RequestOrder::Time, "", 0, 9);
    assert_eq!(all.total, 3);
    let told: Vec<_> = all
        .rows
        .iter()
        .map(|row| (row.name.as_str(), row.queue_ns, row.first_token_ns, row.steps, row.finish))
        .collect();
    let ms = |n: i64| Some((n * MS) as f64);
    assert_eq!(told[0], ("cmpl-A", ms(2), ms(4), 3, "stop"));
    assert_eq!(told[1], ("cmpl-B", ms(4), ms(8), 2, "running"));
    assert_eq!(told[2], ("c", None, None, 1, "running"));
    assert_eq!((all.rows[1].tokens, all.rows[1].prompt_tokens), (1.0, Some(10.0)));

    let names = |order, search: &str| -> Vec<String> {
        timeline.request_rows(order, search, 0, 9).rows.into_iter().map(|row| row.internal).collect()
    };
    // What is not known comes last.
    assert_eq!(names(RequestOrder::Queue, ""), ["b", "a", "c"]);
    assert_eq!(names(RequestOrder::Steps, ""), ["a", "b", "c"]);
    // Either ID counts, in any case.
    assert_eq!(names(RequestOrder::Time, " CMPL-b "), ["b"]);
    assert_eq!(names(RequestOrder::Time, "c"), ["a", "b", "c"]);
    assert!(names(RequestOrder::Time, "nobody").is_empty());
    assert_eq!(timeline.request_rows(RequestOrder::Time, "", 1, 1).rows[0].internal, "b");

    // A client says that b is its own: from then on its own name is shown and found.
    let mut timeline = timeline;
    let ids = timeline.request_ids();
    assert_eq!(ids.external[1].as_deref(), Some("cmpl-B"));
    let own = OwnRequest { request_id: "mine-2".to_owned(), case_id: Some("chat".to_owned()), phase: None };
    timeline.set_own(vec![None, Some(own.clone()), None]);
    let found = timeline.request_rows(RequestOrder::Own, "MINE", 0, 9).rows;
    assert_eq!((found[0].name.as_str(), found[0].own.as_ref()), ("◆ mine-2", Some(&own)));
    assert_eq!(timeline.request_rows(RequestOrder::Own, "", 0, 1).rows[0].internal, "b");
    let members = timeline.step(1).expect("it is there").members;
    assert_eq!(members[1].cells[0].as_deref(), Some("◆ mine-2"));

    let told = timeline.request(0).expect("it is there");
    assert_eq!(
        told.text.plain(),
        "It ran from step 0 to step 2, 3 steps in all, and ended by a stop condition."
    );
    assert!(timeline.request(3).is_none());
}
