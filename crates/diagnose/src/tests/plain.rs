//! The rules of §4–§9 once more, as plainly as they read.

use std::collections::{BTreeMap, BTreeSet};

use crate::steps::work_bucket;
use crate::thresholds::Thresholds;

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) id: u8,
    pub(super) finished: bool,
    pub(super) streaming: bool,
    pub(super) prompt: Option<i64>,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) done: Option<(i64, Option<i64>)>,
    /// Of the wall clock over the monotonic one, at start and end.
    pub(super) skew: i64,
    pub(super) tokens: i64,
    pub(super) members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) steps: Vec<Step>,
    pub(super) pauses: Vec<(bool, i64)>,
    pub(super) exclude: Vec<(i64, i64)>,
    /// Wall stamp and records dropped so far.
    pub(super) beats: Vec<(i64, i64)>,
    pub(super) terminals: Vec<(u8, i64)>,
    pub(super) now: Option<i64>,
    pub(super) thresholds: Vec<(String, f64)>,
}

/// Locus, duration, start mono, start wall, end wall, bucket, ongoing, overlapped.
pub(super) type Row = (&'static str, i64, i64, i64, i64, u8, bool, bool);

fn ids(step: &Step) -> BTreeSet<u8> {
    step.members.iter().map(|member| member.id).collect()
}

fn of(step: &Step, holds: impl Fn(&Member) -> bool) -> BTreeSet<u8> {
    step.members.iter().filter(|member| holds(member)).map(|member| member.id).collect()
}

fn prompts(step: &Step) -> BTreeMap<u8, i64> {
    step.members.iter().filter_map(|member| Some((member.id, member.prompt?))).collect()
}

fn continuing(p: &Step, q: &Step) -> bool {
    let (finished, streaming) = (of(p, |m| m.finished), of(p, |m| m.streaming));
    let (before, after) = (prompts(p), prompts(q));
    ids(p).intersection(&ids(q)).any(|id| {
        let new_turn = streaming.contains(id)
            && match (before.get(id), after.get(id)) {
                (Some(before), Some(after)) => after > before,
                _ => true,
            };
        !finished.contains(id) && !new_turn
    })
}

fn sorted(case: &Case) -> Vec<Step> {
    let mut steps = case.steps.clone();
    steps.sort_by_key(|step| step.start);
    steps
}

pub(super) fn candidates(case: &Case, corrected: bool) -> Vec<Row> {
    let steps = sorted(case);
    let mut rows = Vec::new();
    for pair in steps.windows(2) {
        let (p, q) = (&pair[0], &pair[1]);
        let (start_wall, bucket) = (q.start + q.skew, work_bucket(q.tokens));
        if continuing(p, q) {
            rows.push((
                "in_schedule",
                q.end - q.start,
                q.start,
                start_wall,
                q.end + q.skew,
                bucket,
                false,
                false,
            ));
        }
        let r = steps
            .iter()
            .filter(|r| !r.members.is_empty() && r.done.is_some_and(|(done, _)| done <= q.start))
            .max_by_key(|r| r.done.map(|(done, _)| done));
        if let Some(r) = r
            && let Some((done, done_wall)) = r.done
            && continuing(r, q)
        {
            let from = done_wall.unwrap_or(start_wall);
            rows.push(("between_steps", q.start - done, done, from, start_wall, bucket, false, false));
        }
    }
    let completed: Vec<&Step> = steps.iter().filter(|step| step.done.is_some()).collect();
    for (at, step) in completed.iter().enumerate() {
        let Some((done, done_wall)) = step.done else { continue };
        if step.members.is_empty() {
            continue;
        }
        let before = if at == 0 {
            (0, 0)
        } else {
            completed[at - 1].done.map_or((0, 0), |(m, w)| (m, w.unwrap_or(0)))
        };
        let end_wall = step.end + step.skew;
        let start = before.0.max(step.end);
        let bucket = work_bucket(step.tokens);
        let (from, to) = (before.1.max(end_wall), done_wall.unwrap_or(end_wall));
        rows.push(("within_step", done - start, start, from, to, bucket, false, start > step.end));
    }
    rows.extend(going_on(case, &steps, corrected));
    rows
}

fn going_on(case: &Case, steps: &[Step], corrected: bool) -> Option<Row> {
    let now = case.now?;
    let done_wall = |step: &Step| step.done.and_then(|(_, wall)| wall);
    let last =
        steps.iter().rfind(|step| done_wall(step).is_some() && !(corrected && step.members.is_empty()))?;
    let (done, wall) = (last.done?.0, done_wall(last)?);
    let terminated: BTreeSet<u8> =
        case.terminals.iter().filter(|(_, at)| !corrected || *at > done).map(|(id, _)| *id).collect();
    let pending: Vec<&Step> = steps
        .iter()
        .filter(|step| done_wall(step).is_none() && step.start + step.skew >= last.start + last.skew)
        .collect();
    let left: BTreeSet<u8> = ids(last).difference(&terminated).copied().collect();
    let finished = of(last, |m| m.finished || m.streaming);
    let waits = pending.iter().any(|step| !left.is_disjoint(&ids(step)))
        || left.iter().any(|id| !finished.contains(id));
    waits.then_some(())?;
    Some(match pending.first() {
        None => ("between_steps", now - wall, done, wall, now, work_bucket(last.tokens), true, false),
        Some(first) => {
            let overlapped = pending.iter().any(|step| step.end < done);
            ("within_step", now - wall, done, wall, now, work_bucket(first.tokens), true, overlapped)
        }
    })
}

pub(super) fn pause_intervals(case: &Case) -> Vec<(i64, i64)> {
    let (mut intervals, mut open) = (Vec::new(), None);
    for &(entering, wall) in &case.pauses {
        match open {
            None if entering => open = Some(wall),
            Some(start) if !entering => {
                intervals.push((start, wall));
                open = None;
            }
            _ => {}
        }
    }
    intervals.extend(open.map(|start| (start, i64::MAX)));
    intervals
}

pub(super) fn split(rows: Vec<Row>, mut blocked: Vec<(i64, i64)>, corrected: bool) -> Vec<Row> {
    if corrected {
        blocked.retain(|(start, end)| end > start);
    }
    blocked.sort_unstable();
    let mut out = Vec::new();
    for row in rows {
        let (_, _, mono, start, end, ..) = row;
        if corrected && end <= start {
            out.push(row);
            continue;
        }
        let mut pieces = vec![(start, end)];
        for &(s, e) in &blocked {
            pieces = pieces
                .iter()
                .flat_map(|&(l, h)| [(l, h.min(s)), (l.max(e), h)])
                .filter(|(l, h)| h > l)
                .collect();
        }
        if pieces == [(start, end)] {
            out.push(row);
        } else {
            out.extend(
                pieces.iter().map(|&(l, h)| (row.0, h - l, l + (mono - start), l, h, row.5, row.6, row.7)),
            );
        }
    }
    out
}

pub(super) fn cadence(case: &Case) -> Vec<(i64, u8, i64)> {
    let steps = sorted(case);
    let completed: Vec<&Step> = steps.iter().filter(|step| step.done.is_some()).collect();
    let mut entries = Vec::new();
    for pair in completed.windows(2) {
        if let (Some((before, _)), Some((done, _))) = (pair[0].done, pair[1].done)
            && continuing(pair[0], pair[1])
        {
            entries.push((done, work_bucket(pair[1].tokens), done - before));
        }
    }
    entries.sort_unstable();
    entries
}

fn median(mut values: Vec<i64>) -> f64 {
    values.sort_unstable();
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle] as f64
    } else {
        (values[middle - 1] + values[middle]) as f64 / 2.0
    }
}

pub(super) fn limit(entries: &[(i64, u8, i64)], row: &Row, t: &Thresholds) -> f64 {
    let from = row.2 - t.baseline_window_ns as i64;
    let recent: Vec<_> = entries.iter().filter(|entry| from <= entry.0 && entry.0 <= row.2).collect();
    let pick = |holds: &dyn Fn(u8) -> bool| -> Vec<i64> {
        recent.iter().filter(|entry| holds(entry.1)).map(|entry| entry.2).collect()
    };
    let (same, larger) = (pick(&|bucket| bucket == row.5), pick(&|bucket| bucket >= row.5));
    let baseline = if !same.is_empty() && same.len() as f64 >= t.matched_bin_min_steps {
        median(same)
    } else if !larger.is_empty() && larger.len() as f64 >= t.min_busy_steps {
        median(larger)
    } else {
        return t.no_baseline_floor_ns;
    };
    (t.stall_factor * baseline).max(t.stall_floor_ns)
}

pub(super) fn covered(case: &Case, row: &Row, t: &Thresholds) -> bool {
    let mut spans: Vec<(i64, i64)> = Vec::new();
    for pair in case.beats.windows(2) {
        if pair[0].1 == pair[1].1 {
            match spans.last_mut() {
                Some(span) if span.1 == pair[0].0 => span.1 = pair[1].0,
                _ => spans.push((pair[0].0, pair[1].0)),
            }
        }
    }
    let mut end = row.4;
    if row.6 {
        match (case.beats.last(), case.now) {
            (Some(&(last, _)), Some(now)) if (now - last) as f64 <= t.heartbeat_grace_ns => end = last,
            _ => return false,
        }
    }
    end >= row.3 && spans.iter().any(|span| span.0 <= row.3 && end <= span.1)
}

fn worst(rows: &[(Row, f64)], t: &Thresholds) -> Option<(Row, f64)> {
    let lowest = t.stall_floor_ns.min(t.no_baseline_floor_ns);
    let long: Vec<_> = rows.iter().filter(|(row, _)| row.1 as f64 >= lowest).collect();
    let is_short = long.is_empty();
    let key = |(row, limit): &(Row, f64)| if is_short { row.1 as f64 } else { row.1 as f64 / limit };
    let mut worst: Option<&(Row, f64)> = None;
    for one in if is_short { rows.iter().collect() } else { long } {
        if worst.is_none_or(|worst| key(one) > key(worst)) {
            worst = Some(one);
        }
    }
    worst.copied()
}

/// The stall reported with its limit and whether it is covered.
pub(super) fn reported(case: &Case, rows: &[Row], t: &Thresholds) -> Option<(Row, f64, bool)> {
    let entries = cadence(case);
    let rows: Vec<(Row, f64)> = rows.iter().map(|row| (*row, limit(&entries, row, t))).collect();
    let whole: Vec<_> = rows.iter().filter(|(row, _)| covered(case, row, t)).copied().collect();
    match worst(&whole, t) {
        Some((row, limit)) if row.1 as f64 >= limit => Some((row, limit, true)),
        _ => worst(&rows, t).map(|(row, limit)| (row, limit, covered(case, &row, t))),
    }
}
