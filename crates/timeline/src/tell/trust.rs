//! Whether the log can be trusted: the first sentence.

use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{Epoch, Role};

use super::ending::Ending;
use super::words::{capital, count, counted, duration, listed, percent, safe};
use crate::answers::{Level, Line, Link, Parts, Tab};
use crate::model::Timeline;

/// What the writer says it lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Records by drop name; only those above 0. `None`: no counter was recorded.
    pub(crate) dropped: Option<Vec<(String, i64)>>,
    /// Errors; `None`: not recorded.
    pub(crate) errors: Option<i64>,
}

impl Losses {
    /// The latest counters: of the status file, else of the last heartbeat. A capped writer goes on counting what it
    /// does not write any more; what it lost before stands in the last heartbeat.
    pub(crate) fn of(epoch: &Epoch) -> Self {
        if let Some(status) = epoch.status.as_ref().filter(|status| !status.capped) {
            let dropped = status.dropped.iter().filter(|(_, count)| *count > 0).cloned().collect();
            return Self { dropped: Some(dropped), errors: status.errors };
        }
        let beats = &epoch.log.heartbeat;
        let Some(row) = beats.seq.len().checked_sub(1) else { return Self::default() };
        let dropped = beats.dropped.text(row).and_then(|json| Value::parse(epoch.strings.get(json)).ok());
        let dropped = dropped.and_then(|value| match value {
            Value::Object(counts) => Some(
                counts
                    .iter()
                    .filter_map(|(name, count)| {
                        Some((String::from_utf8_lossy(name).into_owned(), count.int()?))
                    })
                    .filter(|(_, count)| *count > 0)
                    .collect(),
            ),
            _ => None,
        });
        Self { dropped, errors: beats.errors.int(row) }
    }

    fn lost(&self) -> i64 {
        self.dropped.as_ref().map_or(0, |dropped| dropped.iter().map(|(_, count)| count).sum())
    }
}

const PROBLEMS: Link = Link::Tab { tab: Tab::Problems };

impl Timeline {
    /// Can this log be trusted.
    pub(crate) fn trust(&self) -> Line {
        if let Some(refused) = self.refused() {
            let words = refused_in_words(self.epoch.name.role, &refused);
            return Line {
                level: Level::Bad,
                parts: Parts::new().strong("Nothing was recorded. ").say(words),
            };
        }
        let epoch = &self.epoch;
        let losses = Losses::of(epoch);
        let first = epoch.log.seq.first().copied();
        let starts_late = first.is_some_and(|first| first > 0);
        let lost = epoch.sequence.gaps > 0 || starts_late || losses.lost() > 0 || !epoch.problems.is_empty();
        let ending = Ending::of(epoch);
        let known = self.known.whole.length();
        let (level, lead) = if epoch.log.seq.is_empty() {
            (Level::Bad, "Empty. ")
        } else if lost {
            (Level::Bad, "Not whole. ")
        } else if losses.errors.is_some_and(|errors| errors > 0) {
            (Level::Note, "Perhaps not whole. ")
        } else if known == 0 {
            (Level::Unknown, "Whole as far as can be told. ")
        } else if ending == Ending::Goodbye {
            (Level::Good, "Whole. ")
        } else if ending == Ending::Capped {
            (Level::Note, "Whole until it was capped. ")
        } else {
            (Level::Note, "Whole as far as it goes. ")
        };
        let mut parts =
            Parts::new().strong(lead).say(format!("{}, ", counted(epoch.log.seq.len() as i64, "record")));
        parts = match (epoch.sequence.gaps, starts_late) {
            (0, false) => parts.say("no gap, "),
            (0, true) => parts.strong(format!("the first {} missing, ", count(first.unwrap_or(0)))),
            (gaps, _) => parts.strong(format!("{} missing among them, ", count(gaps))),
        };
        parts = match &losses.dropped {
            None => parts.say("drops not recorded, "),
            Some(dropped) if dropped.is_empty() => parts.say("nothing dropped, "),
            Some(dropped) => {
                let by_name: Vec<String> = dropped
                    .iter()
                    .map(|(name, number)| format!("{} {}", count(*number), safe(name)))
                    .collect();
                parts.strong(format!(
                    "{} dropped by the writer ({}), ",
                    count(losses.lost()),
                    listed(&by_name)
                ))
            }
        };
        if let Some(errors) = losses.errors.filter(|&errors| errors > 0) {
            parts = parts.strong(format!("{} of the writer, ", counted(errors, "error")));
        }
        if !epoch.problems.is_empty() {
            parts = parts
                .strong_link(counted(epoch.problems.len() as i64, "problem"), PROBLEMS)
                .say(" in the files, ");
        }
        parts = parts.say(self.ending()).say(self.known_in_words(known));
        let recorded = self.recorded_in_words();
        if !recorded.is_empty() {
            parts = parts.say(format!(" {recorded}"));
        }
        Line { level, parts }
    }

    fn known_in_words(&self, known: i64) -> String {
        let span = self.clock.end();
        if known > 0 {
            return format!("; known whole for {} of {}.", percent(known, span), duration(span));
        }
        let beats = &self.epoch.log.heartbeat;
        let counted = (0..beats.seq.len()).any(|row| beats.reserved.int(row).is_some());
        let why = match (beats.seq.len(), counted) {
            (0 | 1, _) => "fewer than two heartbeats",
            (_, false) => "an older recorder, whose heartbeats do not count what is on its way",
            (_, true) => "no two heartbeats with everything between them",
        };
        format!("; known whole nowhere in {} ({why}).", duration(span))
    }

    /// Which of the optional kinds the log has. A kind that the hello does not list is not recorded, never zero.
    fn recorded_in_words(&self) -> String {
        if self.epoch.name.role == Role::Worker {
            return String::new();
        }
        let kinds = [("pause", "pauses"), ("cache_reset", "resets"), ("enqueued", "hand-overs")];
        let Some(hello) = &self.epoch.hello else {
            return "No hello: which kinds are recorded is not known.".to_owned();
        };
        let named = |recorded: bool| -> Vec<String> {
            let of = kinds.iter().filter(|(kind, _)| (hello.observes(kind) == Some(true)) == recorded);
            of.map(|(_, name)| (*name).to_owned()).collect()
        };
        let (yes, no) = (named(true), named(false));
        let sentence = |kinds: &[String], rest: &str| {
            if kinds.is_empty() { String::new() } else { format!("{} {rest}", capital(&listed(kinds))) }
        };
        match (yes.is_empty(), no.is_empty()) {
            (false, true) => sentence(&yes, "recorded."),
            (false, false) => format!("{} {}", sentence(&yes, "recorded."), sentence(&no, "not recorded.")),
            (true, _) => sentence(&no, "not recorded."),
        }
    }

    /// The hello's own words when it refused to record.
    pub(crate) fn refused(&self) -> Option<String> {
        let hello = self.epoch.hello.as_ref()?;
        if hello.enabled != Some(false) {
            return None;
        }
        Some(safe(hello.refused.as_deref().unwrap_or("no reason is given")))
    }
}

/// What a refusal means (`raw-log.md` §6.1.2).
pub(crate) fn refused_in_words(role: Role, refused: &str) -> String {
    let who = match role {
        Role::Engine => "The hook was loaded, but it does not record this engine",
        Role::Worker => "The hook was loaded, but it does not follow this worker",
    };
    format!(
        "{who}: {refused}. It still says hello, sends heartbeats and says goodbye; there is nothing else to read."
    )
}
