//! What a step says agrees with what the engine did, on random histories.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use stepscope_simulate::Options;

use crate::epochs::{Generated, int, members, text, with};

/// Presets whose logs are whole: nothing is dropped.
const WHOLE: [&str; 9] = [
    "steady",
    "async",
    "memory",
    "prefix-cache",
    "speculation",
    "streaming",
    "impatient",
    "control",
    "mixture",
];

/// What is known of a request from the records so far.
#[derive(Default)]
struct Known {
    /// Where its next step must begin; `None` when it was preempted or got more input since.
    next: Option<i64>,
    /// The furthest it has got.
    high: i64,
    prompt_tokens: i64,
    retained: i64,
}

fn check(log: &Generated) {
    let mut known: BTreeMap<&str, Known> = BTreeMap::new();
    let mut streams: Vec<&str> = Vec::new();
    let mut steps: BTreeMap<&str, &Value> = BTreeMap::new();
    for record in &log.records {
        match text(record, "kind") {
            "enqueued" if record["resumable"] == true => streams.push(text(record, "internal")),
            "scheduled" => {
                let sum: i64 = members(record).map(|member| int(member, "scheduled")).sum();
                assert_eq!(sum, int(record, "total_tokens"), "{record}");
                assert_eq!(record["zero_token"], sum == 0);
                for id in record["preempted"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    known.get_mut(id).expect("preempted after it was scheduled").next = None;
                }
                for member in members(record) {
                    let (before, tokens) = (int(member, "computed_before"), int(member, "scheduled"));
                    let is_first = member["sighting"] == "first";
                    let id = text(member, "internal");
                    assert_eq!(is_first, !known.contains_key(id), "{member}");
                    let known = known.entry(id).or_default();
                    if known.prompt_tokens != int(member, "prompt_tokens") {
                        assert!(is_first || streams.contains(&id), "{member}");
                        known.prompt_tokens = int(member, "prompt_tokens");
                        known.next = None;
                    }
                    assert!(
                        known.next.is_none_or(|next| before == next),
                        "{member}: not at {:?}",
                        known.next
                    );
                    assert!(is_first || before <= known.high, "{member}: beyond {}", known.high);
                    let split = int(member, "prefill_scheduled") + int(member, "past_prompt_scheduled");
                    assert_eq!(split, tokens);
                    known.next = Some(before + tokens);
                    known.high = known.high.max(before + tokens);
                }
                steps.insert(text(record, "iteration"), record);
            }
            "completed" => {
                let scheduled = steps.remove(text(record, "iteration")).expect("scheduled before");
                let pairs: Vec<(&Value, &Value)> = members(scheduled).zip(members(record)).collect();
                assert_eq!(pairs.len(), members(record).count());
                for (scheduled, completed) in pairs {
                    let id = text(completed, "internal");
                    assert_eq!(id, text(scheduled, "internal"));
                    let Some(after) = completed["computed_after"].as_i64() else { continue };
                    let rejected = int(scheduled, "drafts_scheduled") - int(completed, "accepted_drafts");
                    let all = int(scheduled, "computed_before") + int(scheduled, "scheduled");
                    assert!(rejected >= 0 && after == all - rejected, "{completed}");
                    assert!(int(completed, "retained") <= int(completed, "sampled"));
                    let known = known.get_mut(id).expect("scheduled");
                    known.next = known.next.map(|next| next - rejected);
                    known.retained += int(completed, "retained");
                }
            }
            _ => {}
        }
    }
    for terminal in log.of_kind("terminal") {
        let id = text(terminal, "internal");
        // Of a streaming request only the last turn's tokens are its output; an aborted one may have some under way.
        if terminal["finish_reason"] != "abort" && !streams.contains(&id) {
            let retained = known.get(id).map(|known| known.retained);
            assert_eq!(retained, Some(int(terminal, "output_tokens")), "{id}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn steps_agree_with_the_engine(
        which in 0..WHOLE.len(),
        seed in any::<u64>(),
        seconds in 1.0..2.5_f64,
        rate in 2.0..40.0_f64,
    ) {
        let options = Options { seed, seconds: Some(seconds), rate: Some(rate), ..Options::default() };
        let log = with(WHOLE[which], &options);
        prop_assert_eq!(log.summary.dropped, 0);
        check(&log);
    }
}

#[test]
fn whole_presets_agree_with_their_engines() {
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    let (mut recomputes, mut accepted, mut cached) = (0, 0, 0);
    for name in WHOLE {
        let log = with(name, &Options::default());
        check(&log);
        for member in log.of_kind("completed").flat_map(members) {
            *outcomes.entry(text(member, "outcome").to_owned()).or_default() += 1;
            accepted += int(member, "accepted_drafts");
        }
        for member in log.of_kind("scheduled").flat_map(members) {
            recomputes += usize::from(member["recompute"] == true);
            cached += usize::from(member["cached_at_admission"].as_i64() > Some(0));
        }
    }
    // The histories show what they are meant to show.
    assert!(outcomes.contains_key("kept") && outcomes.contains_key("discarded_finished"), "{outcomes:?}");
    assert!(outcomes.contains_key("dropped_stale"), "{outcomes:?}");
    assert!(recomputes > 50 && accepted > 1000 && cached > 50, "{recomputes} {accepted} {cached}");
}
