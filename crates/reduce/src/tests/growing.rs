//! A log that grows while it is imported again and again; and logs whose fields hold anything.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::log::{End, Log, facts};
use crate::facts::{Options, Rules};
use crate::{ReadReduction, RunFacts};

/// A sound history: requests are admitted, take part in a few steps, and end; every step completes.
fn sound(steps: &[(u8, bool, bool)]) -> Log {
    let mut log = Log::new("hello");
    let mut live: Vec<(usize, u8)> = Vec::new();
    let mut born = 0;
    for (number, &(lives, is_async, pauses)) in steps.iter().enumerate() {
        if lives > 0 {
            born += 1;
            log.add(&format!("alias R{born} | enq R{born}"));
            live.push((born, lives));
        }
        let ids: Vec<String> = live.iter().map(|(id, _)| format!("R{id}")).collect();
        log.add(&format!("sched {number} {}", ids.join(",")));
        if pauses {
            log.add("hb | pause");
        }
        for (_, left) in &mut live {
            *left -= 1;
        }
        for (id, _) in live.iter().filter(|(_, left)| *left == 0) {
            log.add(&format!("term R{id}"));
        }
        log.add(&format!("compl {number} {}", ids.join(",")));
        if is_async {
            log.add("hb");
        }
        live.retain(|(_, left)| *left > 0);
    }
    log
}

/// Imports the log at every cut and then whole; what was written, in order, with all its fields.
fn import(log: &Log, cuts: &[usize], options: &Options) -> Vec<String> {
    let mut log = log.clone();
    let mut held: RunFacts = facts(&[]);
    let mut written = Vec::new();
    for (at, &cut) in cuts.iter().chain([&log.lines.len().clone()]).enumerate() {
        log.end = if at == cuts.len() { End::Gone } else { End::Alive };
        let epochs = [log.epoch_of(cut)];
        let read = ReadReduction::of(&epochs, &held, options);
        read.each_record(&epochs, &mut |_, record| {
            written.push(crate::conform::record_json(record));
            held.add_written(record);
        });
        let mark = read.high_water(&epochs).first().map(|mark| mark.1);
        assert!(mark >= log.mark, "a mark goes back");
        log.mark = mark;
    }
    written
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_growing_log_is_written_once_and_whole(
        steps in proptest::collection::vec((0..4u8, any::<bool>(), any::<bool>()), 1..14),
        cuts in proptest::collection::btree_set(0..100usize, 0..5),
        rules in prop_oneof![Just(Rules::Reference), Just(Rules::Corrected)],
    ) {
        let log = sound(&steps);
        let options = Options { rules, ..Options::default() };
        let cuts: BTreeSet<usize> = cuts.into_iter().map(|cut| cut * log.lines.len() / 100).collect();
        let cuts: Vec<usize> = cuts.into_iter().collect();
        let (grown, whole) = (import(&log, &cuts, &options), import(&log, &[], &options));
        let distinct: BTreeSet<&String> = grown.iter().collect();
        prop_assert_eq!(distinct.len(), grown.len());
        // A pause before any step has no anchor yet; all others end as in one import.
        prop_assert_eq!(distinct, whole.iter().collect::<BTreeSet<_>>());
    }

    /// Whatever stands in the fields, both rule sets answer, and write nothing twice.
    #[test]
    fn odd_values_never_panic(
        records in proptest::collection::vec((0..10usize, proptest::collection::vec(0..ODD.len(), 14)), 0..16),
        cut in 0..100usize,
        flags in proptest::array::uniform3(any::<bool>()),
    ) {
        let mut log = Log::new("");
        for (kind, odd) in &records {
            let (kind, fields) = KINDS[*kind];
            let fields: Vec<String> = fields
                .split(' ')
                .zip(odd)
                .map(|(name, &value)| format!("\"{name}\":{}", ODD[value]))
                .collect();
            log.raw(kind, &fields.join(","));
        }
        log.has_key = flags[0];
        log.end = if flags[2] { End::Gone } else { End::Unknown };
        for rules in [Rules::Reference, Rules::Corrected] {
            let options = Options { rules, raw_foreign_ids: flags[1], ..Options::default() };
            let mut held = facts(&["x1"]);
            for count in [cut * log.lines.len() / 100, log.lines.len()] {
                let epochs = [log.epoch_of(count)];
                let read = ReadReduction::of(&epochs, &held, &options);
                let text = crate::conform(&epochs, &read);
                prop_assert!(stepscope_epoch_log::json::Value::parse(text.as_bytes()).is_ok(), "{}", text);
                read.each_record(&epochs, &mut |_, record| held.add_written(record));
                log.mark = read.high_water(&epochs).first().map(|mark| mark.1);
            }
            log.mark = None;
        }
    }
}

const KINDS: [(&str, &str); 10] = [
    ("hello", "host boot_id producer clock config observes vllm_version"),
    ("alias", "internal external mono_ns wall_ns wall_after_ns"),
    ("enqueued", "internal mono_ns wall_ns wall_after_ns structured_output"),
    (
        "scheduled",
        "iteration members start_mono_ns start_wall_ns end_mono_ns end_wall_ns preempted total_tokens zero_token",
    ),
    (
        "scheduled",
        "iteration members start_mono_ns start_wall_ns end_mono_ns end_wall_ns preempted start_wall_after_ns",
    ),
    ("completed", "iteration members mono_ns wall_ns wall_after_ns update_failed"),
    ("terminal", "internal mono_ns wall_ns status finish_reason output_tokens wall_after_ns"),
    (
        "cache_reset",
        "reset_running_requests running start_mono_ns end_mono_ns start_wall_ns end_wall_ns reset_connector succeeded raised",
    ),
    ("pause", "from to mono_ns wall_ns wall_after_ns"),
    ("goodbye", "mono_ns wall_ns last_seq"),
];

/// Values that mean something in one field or another, and values that mean nothing anywhere.
const ODD: &[&str] = &[
    "null",
    "true",
    "0",
    "1",
    "-1",
    "7",
    "1.5",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999",
    "NaN",
    "\"\"",
    "\"A\"",
    "\"A#2\"",
    "\"chatcmpl-x1-0a1b2c3d\"",
    "\"3\"",
    "\"\\u0663\"",
    "\"\\u00b2\"",
    "\"\\ud800\"",
    "[]",
    "{}",
    "[\"A\",\"A#2\",null,5,\"A\"]",
    "[{\"internal\":\"A\",\"sighting\":\"first\",\"phase\":\"context\",\"scheduled\":-4,\"prompt_tokens\":-4,\"retained\":-1,\"outcome\":\"kept\"}]",
    "[{\"internal\":\"A\"},{\"internal\":\"A\"},{\"internal\":[1]},{\"internal\":\"chatcmpl-x1-0a1b2c3d\"},5]",
    "{\"wall_ns\":1000,\"mono_ns\":100,\"wall_after_ns\":1003}",
    "{\"wall_ns\":-9223372036854775808,\"mono_ns\":9223372036854775807,\"gap_ns\":9223372036854775807}",
    "[[\"a\",1]]",
];
