//! `stepscope diagnose` and `stepscope summary` of an artifact: what can be said from the steps it kept.

mod judged;
mod told;

use std::path::Path;

use stepscope_artifact::{KeptEngine, KeptRun};
use stepscope_diagnose::{Config, KeptDiagnosis, judge_kept};

use crate::artifact::bytes_of;

pub(crate) use judged::KeptAnswer;
pub(crate) use told::KeptSummary;

/// An artifact and what is found in each of its engines' loops.
pub(crate) struct KeptReading {
    pub(crate) run: KeptRun,
    diagnoses: Vec<KeptDiagnosis>,
}

impl KeptReading {
    /// Reads and judges an artifact.
    ///
    /// # Errors
    /// In words: it cannot be read or is none.
    pub(crate) fn of(path: &Path, config: &Config) -> Result<Self, String> {
        let bytes = bytes_of(path)?;
        let run = KeptRun::read(&bytes).map_err(|error| {
            format!("{}: {error}. Of a log give the folder, not a file of records.", path.display())
        })?;
        let diagnoses = run.engines.iter().map(|engine| judge_kept(&engine.kept, config)).collect();
        Ok(Self { run, diagnoses })
    }

    fn engines(&self) -> impl Iterator<Item = (&KeptEngine, &KeptDiagnosis)> {
        self.run.engines.iter().zip(&self.diagnoses)
    }
}

/// The engine's epoch, or what names its steps where no import tells the epoch.
fn name_of(engine: &KeptEngine) -> &str {
    engine.epoch.as_ref().map_or(&engine.producer, |epoch| &epoch.name)
}

fn shown(text: Option<&Vec<u8>>) -> Option<String> {
    text.map(|text| String::from_utf8_lossy(text).into_owned())
}

/// How much of the loop the steps are, in one sentence.
fn rebuilt_in_words(engine: &KeptEngine, diagnosis: &KeptDiagnosis) -> String {
    use stepscope_timeline::words::{count, counted};

    if engine.kept.is_whole {
        return format!("Every step with members was kept: {}.", counted(engine.counts.steps, "step"));
    }
    let mut text = format!("Rebuilt from kept steps: {}", count(engine.counts.steps));
    text += &match diagnosis.missing {
        Some(0) => ", none missing between them".to_owned(),
        Some(missing) => format!(", {} missing between them", count(missing)),
        None => ", not named by numbers, so what is missing is not known".to_owned(),
    };
    match &engine.epoch {
        None => text += "; no import tells of the log",
        Some(epoch) => {
            let steps = epoch.left_out.steps();
            if steps > 0 {
                text += &format!("; {} of other clients only left out", counted(steps, "step"));
            }
        }
    }
    text + "."
}
