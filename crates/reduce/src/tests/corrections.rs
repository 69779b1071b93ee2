//! What the corrected rules do where the reference answers by accident.

use serde_json::json;

use super::log::{Log, corrected, facts, raw, reduced};
use crate::facts::{Options, Rules, RunFacts};
use crate::{NoteKind, ReadReduction};

/// An import of the first `count` records after what `held` holds, and what it wrote.
fn import(log: &Log, count: usize, held: &mut RunFacts, options: &Options) -> Vec<String> {
    let epochs = [log.epoch_of(count)];
    let read = ReadReduction::of(&epochs, held, options);
    let mut ids = Vec::new();
    read.each_record(&epochs, &mut |_, record| {
        ids.push(String::from_utf8_lossy(&record.event_id_parts().concat()).into_owned());
        held.add_written(record);
    });
    ids
}

/// V1.
#[test]
fn ids_of_other_types_are_left_out() {
    let mut log = Log::new("hello");
    log.raw("alias", r#""internal":[1,"a"],"mono_ns":105"#);
    let members = r#"[{"internal":1.5},{"internal":5},{"internal":null},{},{"internal":true},5]"#;
    log.raw(
        "scheduled",
        &format!(
            r#""iteration":"0","start_mono_ns":110,"start_wall_ns":1,"preempted":[{{}}],"members":{members}"#
        ),
    );
    log.add("compl 0 @120");
    let of = |options: &Options| reduced(&log, &facts(&[]), options);
    let (reference, corrected) = (of(&raw()), of(&Options { rules: Rules::Corrected, ..raw() }));
    let attempts = |ids: Vec<String>| -> Vec<String> {
        let members = ids.into_iter().filter_map(|id| id.strip_prefix("membership:P:0:").map(str::to_owned));
        members.map(|id| id.trim_end_matches(":unknown").to_owned()).collect()
    };
    assert_eq!(attempts(reference.event_ids()), ["1.5", "5", "None", "None", "True"]);
    assert_eq!(reference.reduction.executions().iter().sum::<u64>(), 5);
    // A missing ID and a null one are one member.
    assert_eq!(attempts(corrected.event_ids()), ["5", "None"]);
    assert_eq!(corrected.reduction.executions().iter().sum::<u64>(), 2);
    assert_eq!(corrected.notes(), [NoteKind::MalformedId, NoteKind::DuplicateMember]);
    assert_eq!(
        corrected.reduction.notes[0].to_string(),
        "4 IDs that are neither text nor integer are left out (first at seq 1)"
    );
}

#[test]
fn a_member_listed_twice_counts_once() {
    let log = Log::new("hello | sched 0 A,B,A | compl 0 A,B");
    let of = |options: &Options| reduced(&log, &facts(&[]), options);
    assert_eq!(of(&raw()).event_ids().len(), 2 + 3 + 2);
    let corrected = of(&corrected());
    assert_eq!(corrected.event_ids().len(), 2 + 2 + 2);
    assert_eq!(corrected.records()[1]["metadata"]["members"], 2);
    assert_eq!(corrected.notes(), [NoteKind::DuplicateMember]);
}

/// E9.
#[test]
fn stays_that_share_a_key_are_kept_apart() {
    let log = Log::new("hello | alias A @110 | alias A @120 | sched 0 A,A#2 @130 | compl 0");
    let attempts = |rules: Rules| {
        let reduced = reduced(&log, &facts(&[]), &Options { rules, ..raw() });
        reduced.event_ids().into_iter().filter(|id| id.starts_with("membership")).collect::<Vec<_>>()
    };
    assert_eq!(attempts(Rules::Reference), ["membership:P:0:A:prefill", "membership:P:0:A#2:prefill"]);
    assert_eq!(attempts(Rules::Corrected), ["membership:P:0:A#2:prefill", "membership:P:0:A#2#2:prefill"]);
}

/// E10: the alias is behind the mark, and the ID's shape says nothing.
#[test]
fn a_binding_outlives_its_alias() {
    let mut log = Log::new("hello | alias A chatcmpl-x1 | sched 0 A | compl 0 | sched 1 A | compl 1");
    for (options, owner) in [(Options::default(), None), (corrected(), Some("membership:P:1:A:prefill"))] {
        let mut held = facts(&["x1"]);
        log.mark = None;
        import(&log, 4, &mut held, &options);
        log.mark = Some(3);
        let written = import(&log, 6, &mut held, &options);
        assert_eq!(
            written.iter().find(|id| id.ends_with("A:prefill")).map(String::as_str),
            owner,
            "{written:?}"
        );
    }
}

/// E11: the artifact named the request only after it was imported.
#[test]
fn ownership_that_the_artifact_holds_stays() {
    let mut log = Log::new("hello | alias A chatcmpl-x1 | sched 0 A | compl 0 | sched 1 A | compl 1");
    for mark in [None, Some(3)] {
        let mut held = facts(&[]);
        log.mark = None;
        let first = import(&log, 4, &mut held, &corrected());
        held.requests = facts(&["x1"]).requests;
        log.mark = mark;
        let second = import(&log, 6, &mut held, &corrected());
        let attempt = first[2].trim_start_matches("membership:P:0:");
        assert_eq!(second, ["iteration:P:1".to_owned(), format!("membership:P:1:{attempt}")]);
        assert!(!attempt.starts_with('A'), "it is a pseudonym: {attempt}");
    }
}

/// F4.
#[test]
fn a_finish_that_waits_holds_the_mark() {
    let mut log = Log::new("hello | alias A x | sched 3 A | compl 3 | term A | sched 4 A | compl 4");
    for (rules, finishes) in [(Rules::Reference, 0), (Rules::Corrected, 1)] {
        let options = Options { rules, ..raw() };
        let mut held = facts(&[]);
        let mut found = 0;
        log.mark = None;
        for count in [6, 7] {
            let epochs = [log.epoch_of(count)];
            let read = ReadReduction::of(&epochs, &held, &options);
            read.each_record(&epochs, &mut |_, record| {
                if let crate::Record::Membership(membership) = record {
                    found += usize::from(membership.finish.is_some());
                }
                held.add_written(record);
            });
            log.mark = read.high_water(&epochs).first().map(|mark| mark.1);
        }
        assert_eq!(found, finishes, "{rules:?}");
    }
}

/// F5.
#[test]
fn a_finish_that_is_written_is_not_unattached() {
    let log = Log::new("hello | alias A x | sched 3 A | compl 3 | term A | term B");
    let mut held = facts(&[]);
    import(&log, 6, &mut held, &raw());
    let unattached = |rules| reduced(&log, &held, &Options { rules, ..raw() }).reduction.finish_unattached;
    assert_eq!(unattached(Rules::Reference), [4, 5]);
    assert_eq!(unattached(Rules::Corrected), [5]);
}

/// V2.
#[test]
fn only_ascii_digits_name_a_number() {
    let log = Log::new("hello | sched ٣ A | compl 8");
    let of = |rules| reduced(&log, &facts(&[]), &Options { rules, ..raw() }).steps();
    assert_eq!(of(Rules::Reference), ["٣ incomplete completed_missing 2"]);
    assert_eq!(of(Rules::Corrected), [""; 0]);
}

#[test]
fn corrected_and_reference_agree_on_a_sound_log() {
    let log = Log::new(
        "hello | alias A chatcmpl-x1 | enq A | sched 0 A,B | compl 0 A,B | pause | reset A | sched 1 A,B !A | compl 1 A,B | term A | sched 2 B",
    );
    let of = |rules| reduced(&log, &facts(&["x1"]), &Options { rules, ..Options::default() });
    let (reference, corrected) = (of(Rules::Reference), of(Rules::Corrected));
    assert_eq!(reference.records(), corrected.records());
    assert_eq!(reference.summary(), corrected.summary());
    assert_eq!(corrected.notes(), []);
    assert_eq!(
        corrected.summary()["stages"],
        json!({"engine.cache_reset": 1, "engine.pause_transition": 1, "engine.preempted_by_reset": 1})
    );
}
