//! What must hold of the answers for any log, window and zoom.

mod common;

use common::{Log, MS, Member, decode, epochs_of, fixture, prefill};
use proptest::prelude::*;
use stepscope_timeline::answers::{Lanes, Order, RequestOrder, Track, Tracks};
use stepscope_timeline::{LaneOrder, Timeline};

/// A turn of a made-up engine.
#[derive(Clone, Debug)]
struct Turn {
    gap: i64,
    schedule: i64,
    flight: i64,
    admit: bool,
    preempt: bool,
    finish: bool,
    lose_outcome: bool,
    empty: bool,
    pause: bool,
    beat: bool,
    hole: bool,
}

const IDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn any_turn() -> impl Strategy<Value = Turn> {
    let length = prop_oneof![8 => 0i64..3 * MS, 3 => 0i64..30 * MS, 1 => 0i64..900 * MS];
    let rare = |one_in: u32| prop::bool::weighted(1.0 / f64::from(one_in));
    (
        (length.clone(), 0i64..MS, length),
        (rare(3), rare(8), rare(6), rare(20), rare(10), rare(15), rare(5), rare(40)),
    )
        .prop_map(
            |((gap, schedule, flight), (admit, preempt, finish, lose_outcome, empty, pause, beat, hole))| {
                Turn { gap, schedule, flight, admit, preempt, finish, lose_outcome, empty, pause, beat, hole }
            },
        )
}

/// Plays the turns: requests come, prefill, decode, are preempted, finish and come again under their old IDs.
fn play(turns: &[Turn], overlap: bool) -> Log {
    let mut log = Log::new();
    let (mut t, mut paused) = (MS, false);
    let mut live: Vec<(&'static str, i64)> = Vec::new();
    let mut waiting: Vec<(&'static str, i64)> = Vec::new();
    let mut pending: Option<(i64, Vec<Member>)> = None;
    // Whose end is not in the log; of one whose last outcome is lost it never is.
    let mut inside: Vec<&'static str> = Vec::new();
    for (name, turn) in turns.iter().enumerate() {
        let name = name as i64;
        t += turn.gap;
        if turn.beat {
            log.heartbeat(t);
        }
        if turn.hole {
            log.lose();
        }
        if turn.pause {
            paused = !paused;
            log.pause(t, if paused { "PAUSED_ALL" } else { "UNPAUSED" });
        }
        if turn.admit
            && let Some(id) = IDS.into_iter().find(|id| !inside.contains(id))
        {
            log.alias(t, id, &format!("cmpl-{id}-0")).enqueued(t + 1, id);
            inside.push(id);
            waiting.push((id, 0));
        }
        let mut preempted = Vec::new();
        if turn.preempt
            && live.len() > 1
            && let Some((id, _)) = live.pop()
        {
            preempted.push(id);
            waiting.push((id, 0));
        } else if let Some(request) = waiting.pop() {
            live.push(request);
        }
        let mut members: Vec<Member> = Vec::new();
        if !turn.empty {
            for (id, computed) in &mut live {
                let member = if *computed < 10 {
                    prefill(id, *computed, 10 - *computed, 10)
                } else {
                    decode(id, *computed)
                };
                *computed += member.scheduled;
                members.push(member);
            }
        }
        if turn.finish && !turn.empty && live.len() > 1 {
            live.remove(0);
            members[0] = members[0].clone().finishes("stop");
        }
        let (start, end) = (t, t + turn.schedule);
        log.scheduled(start, end, name, &members, &preempted);
        t = end;
        // With overlap the step before completes only now.
        if let Some((name, members)) = pending.take() {
            complete(&mut log, &mut inside, t, name, &members);
        }
        let done = end + turn.flight;
        if turn.lose_outcome {
            t = done;
        } else if overlap {
            pending = Some((name, members));
            t = done;
        } else {
            complete(&mut log, &mut inside, done, name, &members);
            t = done;
        }
    }
    log.heartbeat(t + MS);
    log
}

fn complete(log: &mut Log, inside: &mut Vec<&'static str>, t: i64, name: i64, members: &[Member]) {
    for member in members.iter().filter(|member| member.finish.is_some()) {
        inside.retain(|id| *id != member.id);
        log.terminal(t - 1, member.id, "stop");
    }
    log.completed(t, name, members);
}

fn any_log() -> impl Strategy<Value = Log> {
    (prop::collection::vec(any_turn(), 1..120), any::<bool>())
        .prop_map(|(turns, overlap)| play(&turns, overlap))
}

/// A window inside the log or around it, and a width.
fn window(timeline: &Timeline, from: f64, length: f64, width: u32) -> (f64, f64, u32) {
    let end = timeline.overview(0).t1;
    let t0 = (from * 1.2 - 0.1) * end;
    (t0, t0 + length * length * end * 1.2 + 1.0, width)
}

/// Bins that a span touches.
fn touched(tracks: &Tracks, t0: f64, t1: f64) -> std::ops::Range<usize> {
    let first = ((t0 - tracks.t0) / tracks.bin_ns).floor();
    let last = ((t1.max(t0 + 1.0) - 1.0 - tracks.t0) / tracks.bin_ns).floor();
    if last < 0.0 || first >= f64::from(tracks.bins) {
        return 0..0;
    }
    first.max(0.0) as usize..(last as usize + 1).min(tracks.bins as usize)
}

fn columns(tracks: &Tracks) -> [usize; 15] {
    [
        tracks.in_schedule.len(),
        tracks.within_step.len(),
        tracks.between.len(),
        tracks.paused.len(),
        tracks.idle.len(),
        tracks.stall.len(),
        tracks.step_time.len(),
        tracks.steps.len(),
        tracks.prefill.len(),
        tracks.decode.len(),
        tracks.recompute.len(),
        tracks.live.len(),
        tracks.waiting.len(),
        tracks.marks.len(),
        tracks.coverage.len(),
    ]
}

/// What each bin of each lane shows.
fn painted(lanes: &Lanes, first: f64, bins: usize) -> Vec<(u32, usize, u8, u32)> {
    let mut cells = Vec::new();
    for run in 0..lanes.run_kind.len() {
        let from = ((lanes.run_t0[run] - first) / lanes.bin_ns).max(0.0) as usize;
        let to = ((lanes.run_t1[run] - first) / lanes.bin_ns).clamp(0.0, bins as f64) as usize;
        cells.extend(
            (from..to).map(|bin| (lanes.run_lane[run], bin, lanes.run_kind[run], lanes.run_execution[run])),
        );
    }
    cells
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn shares_add_up(log in any_log(), from in 0f64..1.0, length in 0f64..1.0, width in 1u32..400) {
        let timeline = log.timeline();
        let (t0, t1, width) = window(&timeline, from, length, width);
        let tracks = timeline.tracks(t0, t1, width);
        prop_assert_eq!(columns(&tracks), [tracks.bins as usize; 15]);
        let mut sums = [0f64; 5];
        for bin in 0..tracks.bins as usize {
            let shares = [
                tracks.in_schedule[bin],
                tracks.within_step[bin],
                tracks.between[bin],
                tracks.paused[bin],
                tracks.idle[bin],
            ];
            prop_assert!(shares.iter().all(|&share| share >= 0.0), "{shares:?}");
            prop_assert!(shares.iter().sum::<f32>() <= 1.0 + 1e-5, "{shares:?}");
            for (sum, share) in sums.iter_mut().zip(shares) {
                *sum += f64::from(share) * tracks.bin_ns;
            }
        }
        let end = tracks.t0 + f64::from(tracks.bins) * tracks.bin_ns;
        let whole = timeline.loop_shares(tracks.t0 as i64, end as i64);
        let whole = [whole.in_schedule, whole.within_step, whole.between, whole.paused, whole.idle];
        for (sum, whole) in sums.iter().zip(whole) {
            prop_assert!((sum - whole as f64).abs() <= 1e-5 * (end - tracks.t0), "{sums:?} {whole:?}");
        }
    }

    #[test]
    fn the_loop_is_tiled_as_its_steps_say(log in any_log()) {
        let timeline = log.timeline();
        let end = timeline.clock().end();
        let shares = timeline.loop_shares(0, end);
        // The union of the scheduler calls, and of what is in flight outside them.
        let rows = timeline.step_rows(Order::Time, 0, u32::MAX);
        let steps: Vec<_> = (0..timeline.steps().len() as u32).filter_map(|step| timeline.step(step)).collect();
        prop_assert_eq!(rows.iter().map(|row| row.count as usize).sum::<usize>(), steps.len());
        let mut calls: Vec<(i64, i64)> = Vec::new();
        let mut flights: Vec<(i64, i64)> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let start = step.row.t0 as i64;
            let call = start + step.row.schedule_ns.unwrap_or(0.0) as i64;
            calls.push((start, call));
            match step.row.residence_ns {
                Some(residence) => flights.push((call, start + residence as i64)),
                // The last one is in flight until the log ends.
                None if at + 1 == steps.len() => flights.push((call, end)),
                None => {}
            }
        }
        let union = |mut spans: Vec<(i64, i64)>| {
            spans.sort_unstable();
            let (mut length, mut reach) = (0, i64::MIN);
            for (start, end) in spans {
                length += (end - start.max(reach)).max(0);
                reach = reach.max(end);
            }
            length
        };
        let called = union(calls.clone());
        prop_assert_eq!(shares.in_schedule, called);
        prop_assert_eq!(shares.within_step, union(calls.into_iter().chain(flights).collect()) - called);
        prop_assert!(shares.known() <= end);
    }

    #[test]
    fn nothing_that_matters_falls_between_bins(
        log in any_log(), from in 0f64..1.0, length in 0f64..1.0, width in 1u32..400,
    ) {
        let timeline = log.timeline();
        let (t0, t1, width) = window(&timeline, from, length, width);
        let tracks = timeline.tracks(t0, t1, width);
        for stall in timeline.stall_rows().iter().filter(|stall| !stall.late_heartbeat) {
            for bin in touched(&tracks, stall.t0, stall.t1) {
                prop_assert!(tracks.stall[bin] != 0);
                prop_assert!(stall.warm_up || tracks.stall[bin] != 4);
            }
        }
        let mut starts = vec![0u32; tracks.bins as usize];
        for step in 0..timeline.steps().len() as u32 {
            let row = timeline.step(step).expect("there is one").row;
            for bin in touched(&tracks, row.t0, row.t0 + 1.0) {
                starts[bin] += 1;
                prop_assert!(row.preempted == 0 || tracks.marks[bin] & 1 != 0);
                prop_assert!(row.outcome != "none" || tracks.marks[bin] & 16 != 0);
                prop_assert!(row.step_ns.unwrap_or(0.0) <= f64::from(tracks.step_time[bin]) * (1.0 + 1e-6));
            }
            // A long step fills every bin it lasts.
            let until = row.residence_ns.map_or(row.t0 + 1.0, |residence| row.t0 + residence);
            for bin in touched(&tracks, row.t0, until) {
                let shown = tracks.prefill[bin] + tracks.decode[bin] + tracks.recompute[bin];
                prop_assert!(row.tokens.unwrap_or(0.0) <= f64::from(shown), "{row:?} {shown} at {bin}");
            }
        }
        prop_assert_eq!(&starts, &tracks.steps);
        for pause in timeline.overview(0).pauses {
            for bin in touched(&tracks, pause.t0, pause.t0 + 1.0) {
                prop_assert!(tracks.marks[bin] & 4 != 0);
            }
        }
        // What is not known is never drawn as known.
        let gaps = timeline.marks(Track::Coverage, f64::MIN, f64::MAX, 0, u32::MAX);
        for gap in gaps.rows.iter().filter(|mark| mark.text.starts_with("not known")) {
            for bin in touched(&tracks, gap.t0, gap.t1) {
                prop_assert!(tracks.coverage[bin] == 2 || tracks.coverage[bin] == 3);
            }
        }
    }

    #[test]
    fn a_part_of_a_window_shows_what_the_whole_shows(
        log in any_log(), from in 0f64..1.0, length in 0f64..1.0, width in 8u32..400,
        cut in 0f64..1.0, share in 0f64..1.0,
    ) {
        let timeline = log.timeline();
        let (t0, t1, width) = window(&timeline, from, length, width);
        let whole = timeline.tracks(t0, t1, width);
        let bins = whole.bins as usize;
        let first = (cut * bins as f64) as usize;
        let count = (((bins - first) as f64 * share) as usize).max(1);
        let start = whole.t0 + first as f64 * whole.bin_ns;
        let end = start + count as f64 * whole.bin_ns;
        let part = timeline.tracks(start, end, count as u32);
        prop_assert_eq!((part.t0, part.bin_ns, part.bins as usize), (start, whole.bin_ns, count));
        let range = first..first + count;
        macro_rules! agree {
            ($($column:ident),*) => {$(prop_assert_eq!(&whole.$column[range.clone()], &part.$column[..]);)*};
        }
        agree!(in_schedule, within_step, between, paused, idle, stall, step_time, steps, prefill, decode, recompute);
        agree!(live, waiting, marks, coverage);

        let lanes = |t0, t1, width| timeline.lanes(t0, t1, width, 0, 64, LaneOrder::Seats);
        let (whole, part) = (lanes(t0, t1, width), lanes(start, end, count as u32));
        let mut expected: Vec<_> = painted(&whole, whole.t0, bins)
            .into_iter()
            .filter(|cell| range.contains(&cell.1))
            .map(|(lane, bin, kind, whose)| (lane, bin - first, kind, whose))
            .collect();
        let mut found = painted(&part, part.t0, count);
        expected.sort_unstable();
        found.sort_unstable();
        prop_assert_eq!(expected, found);
        let inside = |t: &&f64| **t >= start && **t < end;
        prop_assert_eq!(whole.tick_t.iter().filter(inside).collect::<Vec<_>>(), part.tick_t.iter().collect::<Vec<_>>());
    }

    #[test]
    fn runs_of_a_lane_lie_side_by_side(
        log in any_log(), from in 0f64..1.0, length in 0f64..1.0, width in 1u32..400, by_arrival: bool,
    ) {
        let timeline = log.timeline();
        let (t0, t1, width) = window(&timeline, from, length, width);
        let order = if by_arrival { LaneOrder::Arrival } else { LaneOrder::Seats };
        let lanes = timeline.lanes(t0, t1, width, 0, u32::MAX, order);
        let last = lanes.t0 + f64::from(lanes.bins) * lanes.bin_ns;
        for run in 0..lanes.run_kind.len() {
            let (from, to) = (lanes.run_t0[run], lanes.run_t1[run]);
            prop_assert!(lanes.t0 <= from && from + lanes.bin_ns <= to && to <= last);
            prop_assert!(lanes.run_kind[run] <= 7);
            if run > 0 && lanes.run_lane[run - 1] == lanes.run_lane[run] {
                prop_assert!(lanes.run_t1[run - 1] <= from, "{lanes:?}");
            } else if run > 0 {
                prop_assert!(lanes.run_lane[run - 1] < lanes.run_lane[run]);
            }
        }
        // Whoever is preempted within the window shows it.
        for step in 0..timeline.steps().len() as u32 {
            let step = timeline.step(step).expect("there is one");
            let visible = step.row.t0 >= lanes.t0 && step.row.t0 < last;
            prop_assert!(step.row.preempted == 0 || !visible || lanes.run_kind.contains(&6));
        }
    }

    #[test]
    fn live_and_waiting_are_the_most_of_each_bin(log in any_log(), width in 1u32..200) {
        let timeline = log.timeline();
        let overview = timeline.overview(0);
        let tracks = timeline.tracks(0.0, overview.t1, width);
        let most = |column: &[f32]| f64::from(column.iter().copied().fold(0.0, f32::max));
        prop_assert_eq!(most(&tracks.live), overview.max_live);
        prop_assert_eq!(most(&tracks.waiting), overview.max_waiting);
        // Everybody in a step with tokens is live while it is in flight.
        for step in 0..timeline.steps().len() as u32 {
            let row = timeline.step(step).expect("there is one").row;
            for bin in touched(&tracks, row.t0, row.t0 + 1.0) {
                prop_assert!(f64::from(row.members) <= f64::from(tracks.live[bin]) , "{row:?}");
            }
        }
    }

    #[test]
    fn marks_are_walked_in_order_and_all_met(log in any_log()) {
        let timeline = log.timeline();
        let all = timeline.marks(Track::Loop, f64::MIN, f64::MAX, 0, u32::MAX);
        prop_assert_eq!(all.total as usize, all.rows.len());
        prop_assert!(all.rows.is_sorted_by(|a, b| a.t0 <= b.t0));
        let mut times: Vec<f64> = all.rows.iter().map(|mark| mark.t0).collect();
        let silences = timeline.marks(Track::Coverage, f64::MIN, f64::MAX, 0, u32::MAX);
        times.extend(silences.rows.iter().filter(|mark| mark.text.contains("silent")).map(|mark| mark.t0));
        times.sort_by(f64::total_cmp);
        times.dedup();
        let (mut t, mut met) = (-1.0, Vec::new());
        while let Some(mark) = timeline.next_mark(t, true) {
            prop_assert!(mark.t0 > t);
            t = mark.t0;
            met.push(t);
        }
        prop_assert_eq!(&met, &times);
        let (mut t, mut back) = (timeline.overview(0).t1 + 1.0, Vec::new());
        while let Some(mark) = timeline.next_mark(t, false) {
            prop_assert!(mark.t0 < t);
            t = mark.t0;
            back.push(t);
        }
        back.reverse();
        prop_assert_eq!(&back, &times);
    }

    #[test]
    fn both_orders_of_the_table_hold_every_step_once(log in any_log()) {
        let timeline = log.timeline();
        let count = timeline.overview(0).step_rows;
        for order in [Order::Time, Order::Longest] {
            let rows = timeline.step_rows(order, 0, count);
            prop_assert_eq!(rows.len(), count as usize);
            prop_assert_eq!(rows.iter().map(|row| row.count as usize).sum::<usize>(), timeline.steps().len());
            for (line, row) in rows.iter().enumerate() {
                for step in row.index..row.index + row.count {
                    prop_assert_eq!(timeline.row_of_step(order, step) as usize, line);
                }
            }
            if order == Order::Longest {
                let times: Vec<f64> = rows.iter().map(|row| row.step_ns.unwrap_or(-1.0)).collect();
                prop_assert!(times.is_sorted_by(|a, b| a >= b));
            }
        }
    }

    #[test]
    fn no_window_is_too_odd(log in any_log(), t0: f64, t1: f64, width: u32, first: u32, last: u32, t: f64) {
        let timeline = log.timeline();
        ask_everything(&timeline, t0, t1, width, first, last, t);
    }
}

fn ask_everything(timeline: &Timeline, t0: f64, t1: f64, width: u32, first: u32, last: u32, t: f64) {
    let tracks = timeline.tracks(t0, t1, width);
    assert!(tracks.bins <= 40_000);
    assert_eq!(columns(&tracks), [tracks.bins as usize; 15]);
    for order in [LaneOrder::Seats, LaneOrder::Arrival] {
        timeline.lanes(t0, t1, width.min(4000), first, last, order);
    }
    timeline.cursor(t);
    timeline.next_mark(t, true);
    timeline.next_mark(t, false);
    for track in
        [Track::Overview, Track::Loop, Track::Tokens, Track::Requests, Track::Members, Track::Coverage]
    {
        let marks = timeline.marks(track, t0, t1, first, 20);
        assert!(marks.rows.len() <= 20 && marks.rows.len() <= marks.total as usize);
    }
    for order in [Order::Time, Order::Longest] {
        timeline.step_rows(order, first, 10);
        timeline.row_of_step(order, last);
    }
    for order in [
        RequestOrder::Time,
        RequestOrder::Queue,
        RequestOrder::FirstToken,
        RequestOrder::Length,
        RequestOrder::Steps,
        RequestOrder::Tokens,
        RequestOrder::Preemptions,
    ] {
        let found = timeline.request_rows(order, "", first, 10);
        assert_eq!(found.total as usize, timeline.executions().len());
        for row in found.rows {
            let plain = row.internal.bytes().all(|byte| byte.is_ascii_graphic());
            let found = timeline.request_rows(order, &row.internal.to_ascii_uppercase(), 0, 0).total;
            assert!(found > 0 || !plain, "{}", row.internal);
            assert!(timeline.request(row.index).is_some());
        }
    }
    timeline.request(last);
    timeline.step(first);
    timeline.explain_stall(first);
    timeline.problems(first, last);
    timeline.config();
    assert!(!timeline.summary().is_empty());
    let overview = timeline.overview(3);
    assert_eq!(overview.entry.index, 3);
    assert!(overview.t1 > overview.t0);
}

/// Stamps and counts at the ends of 64 bits, in every place.
#[test]
fn no_number_is_too_large() {
    const ENDS: [&str; 6] = [
        "-9223372036854775808",
        "9223372036854775807",
        "-1",
        "0",
        "9223372036854775806",
        "123456789012345678901234567890",
    ];
    for first in ENDS {
        for second in ENDS {
            for third in ENDS {
                let stamp = |prefix: &str, t: &str| {
                    format!(r#""{prefix}wall_ns":{t},"{prefix}mono_ns":{t},"{prefix}wall_after_ns":{t}"#)
                };
                let mut log = Log::new();
                log.put("alias", &format!(r#""internal":"a","external":"x",{}"#, stamp("", second)));
                log.put("enqueued", &format!(r#""internal":"a",{}"#, stamp("", third)));
                for name in 0..3 {
                    let ends = format!("{},{}", stamp("start_", first), stamp("end_", second));
                    let member = format!(
                        r#"{{"internal":"a","scheduled":{first},"computed_before":{second},"prompt_tokens":{third},"prefill_scheduled":{first},"past_prompt_scheduled":{second}}}"#
                    );
                    log.put(
                        "scheduled",
                        &format!(
                            r#""iteration":"{name}",{ends},"total_tokens":{third},"preempted":["a"],"members":[{member},{member}]"#
                        ),
                    );
                    let outcome = format!(
                        r#"{{"internal":"a","outcome":"kept","retained":{first},"computed_after":{third},"finish_reason":null}}"#
                    );
                    log.put(
                        "completed",
                        &format!(r#""iteration":"{name}",{},"members":[{outcome}]"#, stamp("", third)),
                    );
                }
                log.put("pause", &format!(r#""from":null,"to":"PAUSED_ALL",{}"#, stamp("", first)));
                log.put(
                    "heartbeat",
                    &format!(
                        r#"{},"dropped":{{"x":{second}}},"errors":{third},"pending":{first},"reserved":0"#,
                        stamp("", second)
                    ),
                );
                log.put(
                    "heartbeat",
                    &format!(
                        r#"{},"dropped":{{"x":{first}}},"errors":0,"pending":0,"reserved":0"#,
                        stamp("", third)
                    ),
                );
                log.put("terminal", &format!(r#""internal":"a",{}"#, stamp("", second)));
                let timeline = log.timeline();
                let end = timeline.overview(0).t1;
                for (t0, t1) in [(0.0, end), (end * 0.5, end), (-end, 2.0 * end)] {
                    ask_everything(&timeline, t0, t1, 640, 0, 4, t1);
                }
            }
        }
    }
}

#[test]
fn every_conformance_log_and_real_epoch_answers_everything() {
    let cases = std::fs::read_dir(fixture("cases")).expect("it can be listed");
    let mut roots: Vec<_> = cases.map(|case| case.expect("an entry").path().join("log")).collect();
    roots.extend(["crashed", "killed_torn", "multi", "pause_reset"].map(|name| fixture("epochs").join(name)));
    let mut asked = 0;
    for root in roots.iter().filter(|root| root.is_dir()) {
        for epoch in epochs_of(root) {
            let timeline = Timeline::new(epoch);
            let end = timeline.overview(0).t1;
            for (t0, t1, width) in [(0.0, end, 1280), (end * 0.4, end * 0.41, 3840), (-end, 2.0 * end, 7)] {
                ask_everything(&timeline, t0, t1, width, 0, 40, t0);
            }
            let overview = timeline.overview(0);
            let mut said = vec![overview.trust.parts.plain(), overview.verdict.parts.plain()];
            said.push(overview.empty.map_or_else(String::new, |empty| empty.parts.plain()));
            for text in &said {
                assert_eq!(text.trim(), text);
                assert!(!text.contains("  ") && !text.contains(".."), "{text}");
            }
            let glued = |pair: (char, char)| pair.0 == '.' && pair.1.is_alphabetic();
            assert!(!said[1].chars().zip(said[1].chars().skip(1)).any(glued), "{}", said[1]);
            for index in 0..timeline.stall_rows().len() as u32 {
                let told = timeline.explain_stall(index).expect("there is one");
                assert!(!told.text.is_empty() && !told.title.is_empty());
            }
            for step in 0..timeline.steps().len().min(200) as u32 {
                let told = timeline.step(step).expect("there is one");
                assert!(told.members.iter().all(|member| member.cells.len() == told.member_columns.len()));
            }
            asked += 1;
        }
    }
    assert!(asked > 100, "{asked} epochs");
}
