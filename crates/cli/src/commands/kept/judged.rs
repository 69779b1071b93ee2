//! The verdict on every engine of an artifact.

use serde::Serialize;
use stepscope_diagnose::{KeptStall, Missing, Verdict};
use stepscope_timeline::words::counted;

use super::{KeptReading, name_of, rebuilt_in_words, shown};
use crate::commands::diagnose::{OverLimit, verdict_in_words};

/// The answer for an artifact; what it shares with the answer for a log has the same names there.
#[derive(Serialize)]
pub(crate) struct KeptAnswer {
    run_id: Option<String>,
    session_id: Option<String>,
    epochs: Vec<JudgedEngine>,
    /// Lines of the artifact that could not be used.
    unusable_lines: usize,
}

#[derive(Serialize)]
struct JudgedEngine {
    epoch: String,
    role: &'static str,
    /// Null where no import tells.
    state: Option<String>,
    verdict: Verdict,
    over_limit: Vec<OverKept>,
    rebuilt: Rebuilt,
}

/// What the verdict is made from.
#[derive(Serialize)]
struct Rebuilt {
    from: &'static str,
    producer: String,
    /// Every step with members was kept, and the log lost none.
    whole: bool,
    steps: u64,
    /// Numbers between the first and the last step without a step; null where steps are not named by numbers.
    steps_missing: Option<u64>,
    /// Stalls over their limit that are left out because steps are missing in them (corrected rules).
    left_out: Vec<OverKept>,
    #[serde(skip)]
    words: String,
}

#[derive(Serialize)]
struct OverKept {
    #[serde(flatten)]
    over: OverLimit,
    /// Steps missing in it; null where nobody knows. Whoever ran in them may have run on.
    steps_missing: Option<u64>,
    covered: bool,
}

impl OverKept {
    fn new(stall: &KeptStall) -> Self {
        Self {
            over: OverLimit::new(&stall.judged),
            steps_missing: match stall.missing {
                Missing::Steps(count) => Some(count),
                Missing::Unknown => None,
            },
            covered: stall.judged.covered_by.is_some(),
        }
    }

    fn line(&self) -> String {
        let missing = match self.steps_missing {
            Some(0) => String::new(),
            Some(missing) => format!(", {} missing in it", counted(missing, "step")),
            None => ", steps may be missing in it".to_owned(),
        };
        format!("{}{missing}\n", self.over.line())
    }
}

impl KeptAnswer {
    /// The answer for an artifact that was judged.
    pub(crate) fn of(reading: &KeptReading) -> Self {
        let all = |stalls: &[KeptStall]| stalls.iter().map(OverKept::new).collect();
        let judged = reading.engines().map(|(engine, diagnosis)| JudgedEngine {
            epoch: name_of(engine).to_owned(),
            role: "engine",
            state: engine.epoch.as_ref().map(|epoch| epoch.state.clone()),
            verdict: diagnosis.verdict.clone(),
            over_limit: all(&diagnosis.over_limit),
            rebuilt: Rebuilt {
                from: "kept_steps",
                producer: engine.producer.clone(),
                whole: engine.kept.is_whole,
                steps: engine.kept.steps.len() as u64,
                steps_missing: diagnosis.missing,
                left_out: all(&diagnosis.left_out),
                words: rebuilt_in_words(engine, diagnosis),
            },
        });
        Self {
            run_id: shown(reading.run.run_id.as_ref()),
            session_id: shown(reading.run.session_id.as_ref()),
            epochs: judged.collect(),
            unusable_lines: reading.run.problems.len(),
        }
    }

    /// A few lines an engine.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if self.epochs.is_empty() {
            text += "no engine's records in this artifact\n";
        }
        for judged in &self.epochs {
            let state = judged.state.as_deref().unwrap_or("state not told");
            text += &format!("{} ({state})\n  {}\n", judged.epoch, judged.rebuilt.words);
            text += &verdict_in_words(&judged.verdict);
            judged.over_limit.iter().for_each(|stall| text += &stall.line());
            let left_out = &judged.rebuilt.left_out;
            if !left_out.is_empty() {
                text += &format!(
                    "  {} left out: steps are missing in {}\n",
                    counted(left_out.len(), "stall"),
                    if left_out.len() == 1 { "it" } else { "them" },
                );
            }
        }
        if self.unusable_lines > 0 {
            text += &format!("{} of the artifact could not be used\n", counted(self.unusable_lines, "line"));
        }
        text
    }
}
