//! `reduce.md` §6 and §8.

use super::log::{Log, facts, raw, reduced};
use crate::executions::{self, Executions, NONE};
use crate::facts::{KnownAttempt, RefBuf, RunFacts};
use crate::identity::Identity;
use crate::notes::Notes;
use crate::rows::Rows;

/// The executions of ID `A`: their keys and admissions in order, and the key each time means.
fn shown(log: &str, facts: &RunFacts, times: &[Option<i64>]) -> (Vec<String>, Vec<String>) {
    let epoch = Log::new(log).epoch();
    let options = raw();
    let identity = Identity::of(&epoch, facts, &options);
    let mut notes = Notes::default();
    let rows = Rows::of(&epoch, options.rules, &mut notes);
    let mut executions = Executions::new(&epoch, facts, &identity);
    executions::form(&mut executions, &rows, &mut notes);
    executions::give_ends(&mut executions, &rows, &mut notes);
    let show = |at: u32| {
        let execution = executions.get(at);
        let key = String::from_utf8_lossy(execution.key(&epoch.strings)).into_owned();
        let admission = execution.admission.map_or("-".to_owned(), |time| time.to_string());
        let reused = if execution.reused { " reused" } else { "" };
        let ended = if execution.terminal == NONE { "" } else { " ended" };
        format!("{key} {admission}{reused}{ended}")
    };
    let list = executions.in_order().map(show).collect();
    let id = (0..epoch.strings.len() as u32).find(|&id| epoch.strings.get(id) == b"A").expect("A");
    let key_at = |time: &Option<i64>| {
        let at = executions.find(id, *time).expect("A has executions");
        String::from_utf8_lossy(executions.get(at).key(&epoch.strings)).into_owned()
    };
    (list, times.iter().map(key_at).collect())
}

#[test]
fn the_table_of_executions() {
    let mut known = facts(&["x1"]);
    for id in ["A", "A#2"] {
        let attempt = RefBuf { producer_id: b"P".to_vec(), id: id.into() };
        known.existing_attempts.insert(attempt, KnownAttempt::default());
    }
    let none = facts(&["x1"]);
    for (log, facts, list, times, means) in [
        (
            "hello | alias A @110 | alias A @210",
            &none,
            &["A 110 reused", "A#2 210 reused"][..],
            &[Some(50), Some(110), Some(150), None, Some(210)][..],
            &["A", "A", "A", "A", "A#2"][..],
        ),
        (
            "hello | sched 0 A @100 | alias A @110",
            &none,
            &["A - reused", "A#2 110 reused"],
            &[Some(100), Some(110)],
            &["A", "A#2"],
        ),
        ("hello | sched 0 A @110 | alias A @110", &none, &["A 110"], &[Some(0)], &["A"]),
        ("hello | alias A @- | sched 0 A @120", &none, &["A -"], &[Some(120)], &["A"]),
        (
            "hello | alias A @210 | alias A @110",
            &none,
            &["A 110 reused", "A#2 210 reused"],
            &[Some(110), Some(210)],
            &["A", "A#2"],
        ),
        (
            "hello | alias A chatcmpl-x1 @110 | alias A zzz @110",
            &none,
            &["A 110 reused", "A#2 110 reused"],
            &[Some(110), Some(500), Some(0)],
            &["A#2", "A#2", "A"],
        ),
        (
            "hello | sched 0 A @100 | alias A @110",
            &known,
            &["A#2 - reused", "A#3 110 reused"],
            &[Some(100), Some(110)],
            &["A#2", "A#3"],
        ),
        ("hello | enq A @50", &none, &["A -"], &[None], &["A"]),
        (
            "hello | term A @- | alias A @10 | alias A @20",
            &none,
            &["A 10 reused ended", "A#2 20 reused"],
            &[None],
            &["A"],
        ),
        // IDs in ascending order of their code points, those that only end included.
        ("hello | alias b @110 | term A @120", &none, &["A - ended", "b 110"], &[], &[]),
    ] {
        let (shown_list, shown_means) = shown(log, facts, times);
        assert_eq!(shown_list, list, "{log}");
        assert_eq!(shown_means, means, "{log}");
    }
}

/// E9.
#[test]
fn an_execution_takes_the_place_of_one_with_its_key() {
    // The second stay of A and the ID A#2 itself.
    let (list, means) =
        shown("hello | alias A @110 | alias A @120 | sched 0 A#2 @130", &facts(&[]), &[Some(500)]);
    assert_eq!(list, ["A 110 reused", "A#2 -"]);
    assert_eq!(means, ["A"]);
}

/// The check values of §8.
#[test]
fn pseudonyms_of_the_specification() {
    let log = Log::new(
        "hello | alias cmpl-q-0-deadbeef | alias cmpl-q-0-deadbeef @150 | sched 0 cmpl-q-0-deadbeef,weird @120 | \
         sched 1 cmpl-q-0-deadbeef @160 | compl 0 | compl 1",
    );
    let reduced = reduced(&log, &facts(&[]), &crate::Options::default());
    let ids = reduced.event_ids().join(" ");
    for id in ["0:7c5d4751c3499936:", "0:1fd3d80adb4d45d7:", "1:720443ceaa4392a4:"] {
        assert!(ids.contains(&format!("membership:P:{id}")), "{id} in {ids}");
    }
}

/// P3: an unpaired surrogate is encoded in three bytes, and two that differ have two pseudonyms.
#[test]
fn pseudonyms_of_what_is_no_unicode() {
    let mut log = Log::new("hello");
    let member = |code: &str| format!("{{\"internal\":\"\\u{code}\"}}");
    let members = format!("[{},{}]", member("d800"), member("d801"));
    log.raw(
        "scheduled",
        &format!("\"iteration\":\"0\",\"start_mono_ns\":110,\"start_wall_ns\":1110,\"members\":{members}"),
    );
    log.add("compl 0");
    let records = reduced(&log, &facts(&[]), &crate::Options::default()).records();
    let mut attempts: Vec<&str> = records
        .iter()
        .filter(|record| record["event_type"] == "infer.membership")
        .map(|record| record["attempt_ref"]["id"].as_str().expect("text"))
        .collect();
    attempts.dedup();
    assert_eq!(attempts.len(), 2);
    assert!(attempts.iter().all(|attempt| attempt.len() == 16));
}
