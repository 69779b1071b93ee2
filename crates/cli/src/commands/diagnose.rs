//! `stepscope diagnose`: the verdict on every epoch of a path.

use serde::Serialize;
use stepscope_diagnose::{Attribution, Config, Diagnosis, JudgedStall, Locus, Verdict, diagnose};
use stepscope_epoch_log::{Epoch, Role};

/// The answer for a path.
#[derive(Serialize)]
pub(crate) struct Answer {
    epochs: Vec<Judged>,
}

#[derive(Serialize)]
struct Judged {
    epoch: String,
    role: &'static str,
    state: &'static str,
    /// Null for a worker: it has no loop.
    verdict: Option<Verdict>,
    over_limit: Vec<OverLimit>,
}

/// A stall of `diagnose.md` §4 with its limit, ns.
#[derive(Serialize)]
pub(crate) struct OverLimit {
    locus: Locus,
    attribution: Attribution,
    duration_ns: i64,
    start_mono_ns: i64,
    start_wall_ns: i64,
    end_wall_ns: i64,
    bucket: u8,
    ongoing: bool,
    overlapped: bool,
    limit_ns: f64,
}

impl OverLimit {
    pub(crate) fn new(judged: &JudgedStall) -> Self {
        let stall = &judged.stall;
        Self {
            locus: stall.locus,
            attribution: stall.attribution(),
            duration_ns: stall.duration_ns,
            start_mono_ns: stall.start_mono_ns,
            start_wall_ns: stall.start_wall_ns,
            end_wall_ns: stall.end_wall_ns,
            bucket: stall.bucket,
            ongoing: stall.ongoing,
            overlapped: stall.overlapped,
            limit_ns: judged.limit.limit_ns,
        }
    }

    /// One line without its end.
    pub(crate) fn line(&self) -> String {
        format!(
            "  {:>10.1} ms  {:<13}  {:<13}  limit {:.1} ms, at wall {}",
            self.duration_ns as f64 / 1e6,
            self.locus.name(),
            match self.attribution {
                Attribution::Host => "host",
                Attribution::HostOrGpu => "host or GPU",
            },
            self.limit_ns / 1e6,
            self.start_wall_ns,
        )
    }
}

/// What a verdict says, as one line.
pub(crate) fn verdict_in_words(verdict: &Verdict) -> String {
    match (verdict.exceeds, &verdict.reason) {
        (Some(true), _) => "  a stall is over its limit\n".to_owned(),
        (Some(false), _) => "  no stall is over its limit\n".to_owned(),
        (None, Some(reason)) => format!("  cannot tell: {}\n", reason.name()),
        (None, None) => "  nothing to judge\n".to_owned(),
    }
}

/// Judges all epochs.
pub(crate) fn judge(epochs: &[Epoch], config: &Config) -> Answer {
    let epochs = epochs
        .iter()
        .map(|epoch| {
            let diagnosis = (epoch.name.role == Role::Engine).then(|| diagnose(epoch, config));
            let over = |diagnosis: &Diagnosis| diagnosis.over_limit().map(OverLimit::new).collect();
            Judged {
                epoch: epoch.name.text.clone(),
                role: epoch.name.role.name(),
                state: epoch.state.name(),
                over_limit: diagnosis.as_ref().map(over).unwrap_or_default(),
                verdict: diagnosis.map(|diagnosis| diagnosis.verdict),
            }
        })
        .collect();
    Answer { epochs }
}

impl Answer {
    /// A few lines an epoch.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for judged in &self.epochs {
            text += &format!("{} ({})\n", judged.epoch, judged.state);
            let Some(verdict) = &judged.verdict else {
                text += "  a worker has no engine loop to judge\n";
                continue;
            };
            text += &verdict_in_words(verdict);
            judged.over_limit.iter().for_each(|stall| text += &(stall.line() + "\n"));
        }
        text
    }
}
