//! An artifact in a dozen lines an engine.

use std::collections::BTreeMap;

use serde::Serialize;
use stepscope_artifact::{EpochFacts, KeptEngine};
use stepscope_diagnose::{Attribution, KeptDiagnosis, KeptStall, Locus, Verdict, limit_in_words};
use stepscope_timeline::words::{count, counted, duration, rough, safe, utc};

use super::{KeptReading, name_of, rebuilt_in_words, shown};

/// So many stalls are told.
const STALLS: usize = 4;

/// What is told of an artifact.
#[derive(Serialize)]
pub(crate) struct KeptSummary {
    run_id: Option<String>,
    session_id: Option<String>,
    client_requests: u64,
    unusable_lines: usize,
    epochs: Vec<Told>,
}

#[derive(Serialize)]
struct Told {
    epoch: String,
    state: Option<String>,
    steps: u64,
    steps_incomplete: u64,
    steps_missing: Option<u64>,
    memberships: u64,
    requests: BTreeMap<String, u64>,
    stages: BTreeMap<String, u64>,
    finishes: BTreeMap<String, u64>,
    stalls_over_limit: usize,
    verdict: Verdict,
    /// The same in words.
    text: String,
}

impl KeptSummary {
    /// The summary of an artifact that was judged.
    pub(crate) fn of(reading: &KeptReading) -> Self {
        let told = reading.engines().map(|(engine, diagnosis)| Told {
            epoch: name_of(engine).to_owned(),
            state: engine.epoch.as_ref().map(|epoch| epoch.state.clone()),
            steps: engine.counts.steps,
            steps_incomplete: engine.counts.incomplete,
            steps_missing: diagnosis.missing,
            memberships: engine.counts.memberships,
            requests: engine.counts.requests.clone(),
            stages: engine.counts.stages.clone(),
            finishes: engine.counts.finishes.clone(),
            stalls_over_limit: diagnosis.over_limit.len(),
            verdict: diagnosis.verdict.clone(),
            text: told(engine, diagnosis),
        });
        Self {
            run_id: shown(reading.run.run_id.as_ref()),
            session_id: shown(reading.run.session_id.as_ref()),
            client_requests: reading.run.client_requests,
            unusable_lines: reading.run.problems.len(),
            epochs: told.collect(),
        }
    }

    /// Plain text.
    pub(crate) fn text(&self) -> String {
        let named = |text: &Option<String>| text.as_deref().map_or_else(|| "not named".to_owned(), safe);
        let mut text =
            format!("Artifact of run {}, session {}", named(&self.run_id), named(&self.session_id));
        if self.client_requests > 0 {
            text += &format!("; its client sent {}", counted(self.client_requests, "request"));
        }
        if self.unusable_lines > 0 {
            text += &format!("; {} could not be used", counted(self.unusable_lines, "line"));
        }
        text.push('\n');
        for told in &self.epochs {
            text += &format!("\n{}\n", told.text);
        }
        if self.epochs.is_empty() {
            text += "No engine's records in it.\n";
        }
        text
    }
}

fn told(engine: &KeptEngine, diagnosis: &KeptDiagnosis) -> String {
    let mut lines = vec![heading(engine)];
    let mut line = |label: &str, text: String| lines.push(format!("{label:<9}{text}"));
    line("Trust", trust(engine, diagnosis));
    line("Verdict", verdict(engine, diagnosis));
    let mut ranked: Vec<&KeptStall> =
        diagnosis.over_limit.iter().filter(|stall| !stall.judged.warm_up).collect();
    ranked.sort_by(|a, b| b.judged.ratio().total_cmp(&a.judged.ratio()));
    let start = engine.kept.steps.iter().map(|step| step.start_mono_ns).min().unwrap_or(0);
    for (place, stall) in ranked.iter().take(STALLS).enumerate() {
        line(&format!("  {}.", place + 1), stall_line(stall, start));
    }
    if ranked.len() > STALLS {
        line("", format!("and {} more", count(ranked.len() - STALLS)));
    }
    line("Load", load(engine));
    if let Some(ends) = by_name(&engine.counts.finishes) {
        line("Ended", ends);
    }
    if let Some(stages) = by_name(&engine.counts.stages) {
        line("Stages", stages);
    }
    if let Some(settings) = engine.epoch.as_ref().and_then(settings) {
        line("Engine", settings);
    }
    lines.join("\n")
}

fn heading(engine: &KeptEngine) -> String {
    let mut text = match &engine.epoch {
        Some(epoch) => format!("{} · engine {}", safe(&epoch.host_boot), safe(&epoch.pid)),
        None => format!("engine {}", safe(&engine.producer)),
    };
    let steps = &engine.kept.steps;
    let first = steps.iter().map(|step| step.start_wall_ns).min();
    let last = steps.iter().map(|step| step.done_wall_ns.unwrap_or(step.end_wall_ns)).max();
    if let (Some(first), Some(last)) = (first, last) {
        let (start, end) = (utc(first as f64 / 1e6), utc(last as f64 / 1e6));
        // `2026-11-30 19:36:24`: the day is said again only when it is another.
        let end = if end.get(..10) == start.get(..10) { end.get(11..).unwrap_or("") } else { &end };
        text += &format!(" · steps {start} – {end} UTC ({})", duration(last.saturating_sub(first)));
    }
    text
}

fn trust(engine: &KeptEngine, diagnosis: &KeptDiagnosis) -> String {
    let mut text = rebuilt_in_words(engine, diagnosis);
    let Some(epoch) = &engine.epoch else { return text };
    let mut log = Vec::new();
    log.push(match epoch.gaps {
        0 => "no gap".to_owned(),
        gaps => format!("{} missing", counted(gaps, "record")),
    });
    log.push(match epoch.dropped {
        0 => "nothing dropped".to_owned(),
        dropped => format!("{} dropped", counted(dropped, "record")),
    });
    log.extend(epoch.capped.then(|| "disk cap reached".to_owned()));
    log.extend(epoch.truncated.then(|| "cut inside a line".to_owned()));
    if epoch.left_out.withheld_members > 0 {
        log.push(format!(
            "{} withheld for want of a key",
            counted(epoch.left_out.withheld_members, "member")
        ));
    }
    if epoch.pending > 0 {
        log.push(format!("{} for a later import", counted(epoch.pending, "step")));
    }
    text += &format!(" Its log: {}, {} ({}).", log.join(", "), safe(&epoch.state), safe(&epoch.state_reason));
    text
}

fn verdict(engine: &KeptEngine, diagnosis: &KeptDiagnosis) -> String {
    if engine.kept.steps.is_empty() {
        return "None: no step was kept.".to_owned();
    }
    let (warm, stalls): (Vec<&KeptStall>, Vec<&KeptStall>) =
        diagnosis.over_limit.iter().partition(|stall| stall.judged.warm_up);
    let total = |stalls: &[&KeptStall]| {
        duration(stalls.iter().fold(0_i64, |sum, stall| sum.saturating_add(stall.judged.stall.duration_ns)))
    };
    let mut text = match stalls.len() {
        0 => "No stall is over its limit.".to_owned(),
        1 => format!("1 stall over its limit, {}.", total(&stalls)),
        many => format!("{} over their limit, {} in all.", counted(many, "stall"), total(&stalls)),
    };
    if let Some(reason) = diagnosis.verdict.reason {
        text += &format!(" It does not suffice: {}.", reason.name());
    }
    if !warm.is_empty() {
        text += &format!(" First-call warm-up ({}) set apart.", total(&warm));
    }
    if !diagnosis.left_out.is_empty() {
        text += &format!(
            " {} not counted: steps are missing in {}.",
            counted(diagnosis.left_out.len(), "stall"),
            if diagnosis.left_out.len() == 1 { "it" } else { "them" },
        );
    }
    text
}

fn stall_line(stall: &KeptStall, start_mono_ns: i64) -> String {
    let judged = &stall.judged;
    let place = match judged.stall.locus {
        Locus::BetweenSteps => "between steps",
        Locus::InSchedule => "in schedule()",
        Locus::WithinStep => "within a step",
    };
    let whose = match judged.stall.attribution() {
        Attribution::Host => "the host's",
        Attribution::HostOrGpu => "host or GPU",
    };
    let mut text = format!(
        "{} {place} {} after the first step began, {whose}, limit {} ({})",
        duration(judged.stall.duration_ns),
        duration(judged.stall.start_mono_ns.saturating_sub(start_mono_ns)),
        rough(judged.limit.limit_ns),
        limit_in_words(&judged.limit, judged.stall.bucket),
    );
    if judged.covered_by.is_none() {
        text += ", records may be missing around it";
    }
    text
}

fn load(engine: &KeptEngine) -> String {
    let counts = &engine.counts;
    let mut steps = counted(counts.steps, "step");
    if counts.incomplete > 0 {
        steps += &format!(" ({} incomplete)", count(counts.incomplete));
    }
    let requests: u64 = counts.requests.values().sum();
    let mut text =
        format!("{}, {steps}, {}", counted(requests, "request"), counted(counts.memberships, "membership"));
    let owners = |name: &str, words: &str| {
        counts.requests.get(name).map(|number| format!("{} {words}", count(*number)))
    };
    let owned: Vec<String> = [
        owners("run", "of the run"),
        owners("foreign", "of other clients"),
        owners("unresolved", "of nobody known"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !owned.is_empty() {
        text += &format!("; of the requests {}", owned.join(", "));
    }
    text
}

fn by_name(counts: &BTreeMap<String, u64>) -> Option<String> {
    let parts: Vec<String> =
        counts.iter().map(|(name, number)| format!("{} {}", count(*number), safe(name))).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn settings(epoch: &EpochFacts) -> Option<String> {
    const TOLD: [&str; 6] =
        ["executor", "tp", "pp", "async_scheduling", "max_num_seqs", "max_num_batched_tokens"];
    let value = |name: &str| epoch.config.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    let parts: Vec<String> =
        TOLD.iter().filter_map(|name| value(name).map(|value| format!("{name} {}", safe(value)))).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
