//! A stall, explained: which steps it lies between, who waited, how its limit came about.

use stepscope_epoch_log::{Epoch, TextId};

use crate::config::Config;
use crate::limits::{BaselineKind, Limit};
use crate::stalls::{Locus, Now, Stall};
use crate::steps::{StepRows, Steps};
use crate::window::Window;

/// Why the requests of a stall count as held up (`diagnose.md` §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// They ran in the step before and run on in the step after (W1).
    Continuing,
    /// They are the members of the step the stall lies in.
    Members,
    /// They were ready to run after the last step (W3).
    Ready,
}

/// What is known about one stall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Records of the step it follows.
    pub before: Option<StepRows>,
    /// Records of the step it leads to or lies in.
    pub step: Option<StepRows>,
    /// Index of the step that starts next after that one, or after the one it follows.
    pub next: Option<u32>,
    /// Why the requests in `ids` were held up.
    pub held: Held,
    /// The requests held up.
    pub ids: Vec<TextId>,
}

/// Explains a stall found in an epoch. `steps` and `config` are those it was found with.
pub fn explain(epoch: &Epoch, steps: &Steps, config: &Config, stall: &Stall) -> Explanation {
    let rows = |step: Option<u32>| step.map(|step| steps.rows[step as usize]);
    let next = stall.step.or(stall.before).map(|step| step + 1).filter(|&next| (next as usize) < steps.len());
    let (held, ids) = match (stall.before, stall.step) {
        (Some(p), Some(q)) if stall.locus != Locus::WithinStep => {
            (Held::Continuing, steps.continuing(p as usize, q as usize).collect())
        }
        (Some(last), None) => {
            let window = Window::of(epoch, config.tail_from);
            let now = Now::of(&window, steps, config.now_wall_ns, true, config.rules.into());
            let ready = steps.ready(last as usize).filter(|&id| !now.terminated.has(id));
            (Held::Ready, ready.collect())
        }
        (_, Some(step)) => (Held::Members, steps.member_ids(step as usize).to_vec()),
        (None, None) => (Held::Members, Vec::new()),
    };
    Explanation { before: rows(stall.before), step: rows(stall.step), next, held, ids }
}

/// The token counts of a work bucket (S7): `1 token`, `8–15 tokens`.
pub fn bucket_in_words(bucket: u8) -> String {
    match bucket {
        0 => "no tokens".to_owned(),
        1 => "1 token".to_owned(),
        _ => {
            let least = 1_u64 << (bucket - 1);
            format!("{}–{} tokens", grouped(least), grouped(least - 1 + least))
        }
    }
}

/// How a limit came about, as one clause: `10 × 9.8 ms, the median of 206 steps of 2–3 tokens in the 30 s before`.
/// `bucket` is that of the stall.
pub fn limit_in_words(limit: &Limit, bucket: u8) -> String {
    let size = match (limit.kind, bucket) {
        (BaselineKind::Matched, _) => bucket_in_words(bucket),
        (_, 0) => "any size".to_owned(),
        (_, 1) => "1 token or more".to_owned(),
        _ => format!("{} tokens or more", grouped(1_u64 << (bucket - 1))),
    };
    let window = seconds(limit.window_ns);
    let floor = milliseconds(limit.floor_ns);
    let entries = grouped(limit.entries as u64);
    let Some(baseline) = limit.baseline else {
        let few = match limit.entries {
            0 => format!("no step of {size} went on in the {window} before"),
            1 => format!("only 1 step of {size} went on in the {window} before, too few to compare"),
            _ => format!("only {entries} steps of {size} went on in the {window} before, too few to compare"),
        };
        return format!("the floor of {floor}: {few}");
    };
    let median = milliseconds(baseline.value());
    let of = format!("{median}, the median of {entries} steps of {size} in the {window} before");
    if limit.is_floor() {
        format!("the floor of {floor}: {} × {of}, is less", limit.factor)
    } else {
        format!("{} × {of}", limit.factor)
    }
}

fn milliseconds(ns: f64) -> String {
    let ms = ns / 1e6;
    let text = if ms.abs() >= 100.0 { format!("{ms:.0}") } else { format!("{ms:.1}") };
    format!("{} ms", text.strip_suffix(".0").unwrap_or(&text))
}

fn seconds(ns: i64) -> String {
    let text = format!("{:.1}", ns as f64 / 1e9);
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

/// Digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sliding::Median;

    #[test]
    fn buckets_have_words() {
        assert_eq!(bucket_in_words(0), "no tokens");
        assert_eq!(bucket_in_words(1), "1 token");
        assert_eq!(bucket_in_words(2), "2–3 tokens");
        assert_eq!(bucket_in_words(14), "8,192–16,383 tokens");
        assert_eq!(bucket_in_words(63), "4,611,686,018,427,387,904–9,223,372,036,854,775,807 tokens");
    }

    #[test]
    fn limits_have_words() {
        let limit = Limit {
            limit_ns: 98e6,
            kind: BaselineKind::Matched,
            baseline: Median::of_sorted(&[9_800_000]),
            entries: 1206,
            factor: 10.0,
            floor_ns: 50e6,
            window_ns: 30_000_000_000,
        };
        assert_eq!(
            limit_in_words(&limit, 2),
            "10 × 9.8 ms, the median of 1,206 steps of 2–3 tokens in the 30 s before"
        );
        let low = Limit {
            limit_ns: 50e6,
            kind: BaselineKind::Unmatched,
            baseline: Median::of_sorted(&[4_000_000]),
            ..limit
        };
        assert_eq!(
            limit_in_words(&low, 2),
            "the floor of 50 ms: 10 × 4 ms, the median of 1,206 steps of 2 tokens or more in the 30 s before, is less"
        );
        let floor = Limit {
            limit_ns: 500e6,
            kind: BaselineKind::Floor,
            baseline: None,
            entries: 3,
            floor_ns: 500e6,
            ..limit
        };
        assert_eq!(
            limit_in_words(&floor, 9),
            "the floor of 500 ms: only 3 steps of 256 tokens or more went on in the 30 s before, too few to compare"
        );
        assert_eq!(
            limit_in_words(&Limit { entries: 0, ..floor }, 1),
            "the floor of 500 ms: no step of 1 token or more went on in the 30 s before"
        );
    }
}
