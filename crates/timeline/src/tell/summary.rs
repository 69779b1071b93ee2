//! An epoch in a dozen lines, to be pasted where people talk about an incident.

use stepscope_diagnose::{Attribution, limit_in_words};

use super::verdict::place;
use super::words::{count, counted, duration, listed as listed_words, moment, percent, rough, safe, utc};
use crate::model::{Listed, Timeline, What};

/// So many stalls are told.
const STALLS: usize = 4;
/// So many problems of the files are told.
const PROBLEMS: u32 = 3;

impl Timeline {
    /// The epoch in plain text, a line each for what it is, whether it can be trusted, what happened, the worst stalls,
    /// the loop, the load and the engine, and the first problems of the files if there are any.
    pub fn summary(&self) -> String {
        let mut lines = vec![self.heading()];
        let mut line = |label: &str, text: String| lines.push(format!("{label:<9}{text}"));
        line("Trust", self.trust().parts.plain().trim_end().to_owned());
        line("Verdict", self.verdict_line().parts.plain().trim_end().to_owned());
        let told = self.listed(|listed| !listed.is_warm_up()).take(STALLS);
        for (place, (_, listed)) in told.enumerate() {
            line(&format!("  {}.", place + 1), self.stall_line(listed));
        }
        let more = || self.listed(|listed| !listed.is_warm_up()).skip(STALLS);
        let late = more().filter(|(_, listed)| matches!(listed.what, What::LateHeartbeat(_))).count();
        let more = [(more().count() - late, "stall"), (late, "late heartbeat")];
        let more = more.into_iter().filter(|(n, _)| *n > 0).map(|(n, noun)| counted(n as i64, noun));
        let more: Vec<String> = more.collect();
        if !more.is_empty() {
            line("", format!("and {} more", listed_words(&more)));
        }
        if !self.steps.is_empty() {
            line("Loop", self.loop_line());
            line("Load", self.load_line());
        }
        if let Some(engine) = self.engine_line() {
            line("Engine", engine);
        }
        for difference in &self.differences {
            line("Note", difference.clone());
        }
        for problem in self.problems(0, PROBLEMS) {
            line("Problem", format!("{}: {}; {}", problem.place, problem.what, problem.instead));
        }
        let more = self.epoch.problems.len().saturating_sub(PROBLEMS as usize);
        if more > 0 {
            line("", format!("and {} more", counted(more as i64, "problem")));
        }
        lines.join("\n")
    }

    fn heading(&self) -> String {
        let entry = self.entry(0);
        let when = match entry.start_wall_ms {
            None => String::new(),
            Some(start) => {
                let (start, end) = (utc(start), utc(start + self.clock.end() as f64 / 1e6));
                // `2026-11-30 19:36:24`: the day is said again only when it is another.
                let end = if end[..10] == start[..10] { &end[11..] } else { &end };
                format!(" · {start} – {end} UTC")
            }
        };
        format!("{} · {} {}{when} ({})", entry.host, entry.role, entry.pid, duration(self.clock.end()))
    }

    fn stall_line(&self, listed: &Listed) -> String {
        let at = moment(listed.t0, 3);
        match &listed.what {
            What::LateHeartbeat(late) => format!(
                "heartbeat {} late at {at} with no step running (no stall by the rules), {} admitted meanwhile",
                duration(listed.duration),
                count(late.admitted as i64)
            ),
            What::Stall { judged, ready, twin, .. } => {
                let whose = match judged.stall.attribution() {
                    Attribution::Host => "the host's",
                    Attribution::HostOrGpu => "host or GPU",
                };
                let mut text =
                    format!("{} {} at {at}, {whose}", duration(listed.duration), place(judged.stall.locus));
                let limit = limit_in_words(&judged.limit, judged.stall.bucket);
                text += &format!(", limit {} ({limit})", rough(judged.limit.limit_ns));
                text += &format!(", {} ready", counted(ready.len() as i64, "request"));
                if judged.covered_by.is_none() {
                    text += ", records may be missing around it";
                }
                if judged.stall.ongoing {
                    text += ", not over when the log ends";
                }
                if *twin {
                    text += ", the same time as the host's before it";
                }
                text
            }
        }
    }

    fn loop_line(&self) -> String {
        let end = self.clock.end();
        let shares = self.loop_shares(0, end);
        let mut parts = vec![
            format!("{} within steps", percent(shares.within_step, end)),
            format!("{} in schedule()", percent(shares.in_schedule, end)),
            format!("{} between steps", percent(shares.between, end)),
        ];
        let recorded = self.epoch.hello.as_ref().is_some_and(|hello| hello.observes_pause);
        parts.push(match (shares.paused, recorded) {
            (0, false) => "pauses not recorded".to_owned(),
            (paused, _) => format!("{} paused", percent(paused, end)),
        });
        parts.push(format!("{} idle", percent(shares.idle, end)));
        let unknown = end - shares.known();
        if unknown > 0 {
            parts.push(format!("{} not known", percent(unknown, end)));
        }
        format!("{} of {}", parts.join(", "), duration(end))
    }

    fn load_line(&self) -> String {
        let setting =
            |name: &str| self.epoch.hello.as_ref().and_then(|hello| hello.setting(name)).filter(|&n| n > 0);
        let of = |most: Option<i64>| most.map_or_else(String::new, |most| format!(" of {}", count(most)));
        let (live, waiting) = self.occupancy.peaks();
        let waiting = match self.occupancy.waiting_recorded {
            true => format!("{} waiting", count(waiting)),
            false => "waiting not recorded".to_owned(),
        };
        let largest =
            self.steps.largest(0, self.steps.len()).map_or(0, |step| self.steps.tokens(step).total());
        let largest = match setting("max_num_batched_tokens") {
            None => counted(largest, "token"),
            budget => format!("{}{} tokens", count(largest), of(budget)),
        };
        format!(
            "{}, {}, {}; at most {}{} live, {waiting}; largest step {largest}",
            counted(self.executions.len() as i64, "request"),
            counted(self.steps.len() as i64, "step"),
            counted(self.executions.entry_step.len() as i64, "membership"),
            count(live),
            of(setting("max_num_seqs")),
        )
    }

    fn engine_line(&self) -> Option<String> {
        let hello = self.epoch.hello.as_ref()?;
        let value = |name: &str| {
            let (_, value) = hello.config.iter().find(|(path, _)| path == name)?;
            value.as_deref().map(super::bare)
        };
        let mut parts = Vec::new();
        if let Some(version) = &hello.vllm_version {
            parts.push(format!("vLLM {}", safe(version)));
        }
        parts.extend(value("executor").map(|executor| format!("executor {executor}")));
        for name in
            ["tp", "pp", "dp", "async_scheduling", "speculative", "max_num_seqs", "max_num_batched_tokens"]
        {
            parts.extend(value(name).map(|value| format!("{name} {value}")));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
