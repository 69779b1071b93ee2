//! A request in words: what became of it, and where its time went.

use super::words::{count, counted, duration, moment, safe, short_name};
use crate::answers::{Fact, Link, Parts, RequestDetail, RequestRow};
use crate::model::Timeline;

fn whose(row: &RequestRow) -> String {
    let Some(own) = &row.own else { return "not known to be of a client's run".to_owned() };
    let named =
        |what: &str, name: &Option<String>| name.as_ref().map(|name| format!("{what} {}", safe(name)));
    let mut parts = vec![format!("own, {}", safe(&own.request_id))];
    parts.extend(named("case", &own.case_id));
    parts.extend(named("phase", &own.phase));
    parts.join(", ")
}

impl Timeline {
    /// A request explained; `None` when there is none of that index.
    pub fn request(&self, index: u32) -> Option<RequestDetail> {
        let execution = index as usize;
        if execution >= self.executions.len() {
            return None;
        }
        let row = self.request_row(execution);
        let length = self.executions.end(execution) - self.executions.begin(execution);
        Some(RequestDetail {
            title: format!("Request {} · {}", short_name(&row.name), duration(length)),
            text: self.explain_request(execution, &row),
            facts: self.request_facts(execution, &row),
            row,
        })
    }

    fn explain_request(&self, execution: usize, row: &RequestRow) -> Parts {
        let steps = self.executions.steps(execution);
        let (Some(&first), Some(&last)) = (steps.first(), steps.last()) else {
            return Parts::new().say(match row.finish {
                "running" => "It was waiting for its first step when the log ended.",
                _ => "It ended without having run in a step.",
            });
        };
        let mut parts = Parts::new().say("It ran from ").then(self.step_link(first as usize));
        if first != last {
            parts = parts.say(" to ").then(self.step_link(last as usize));
        }
        parts = parts.say(format!(", {} in all, ", counted(steps.len() as i64, "step")));
        parts = parts.say(match row.finish {
            "stop" => "and ended by a stop condition.",
            "length" => "and ended by its length.",
            "abort" => "and was aborted.",
            "other" => "and ended.",
            "running" => "and was still in the engine when the log ended.",
            _ => "and was not seen any more; its end is not in the log.",
        });
        for preemption in self.executions.preemptions_of(execution) {
            let why = if preemption.by_reset { " (a cache reset)" } else { "" };
            parts =
                parts.say(" Preempted by ").then(self.step_link(preemption.step as usize)).say(why).say(".");
        }
        parts
    }

    fn request_facts(&self, execution: usize, row: &RequestRow) -> Vec<Fact> {
        let (begin, end) = (self.executions.begin(execution), self.executions.end(execution));
        let known =
            |time: Option<f64>| time.map_or_else(|| "not recorded".to_owned(), |ns| duration(ns as i64));
        let range = Link::Range { t0: begin as f64, t1: end as f64 };
        let mut facts = vec![
            Fact::plain("Whose", whose(row)),
            Fact::plain("Engine's ID", row.internal.clone()),
            Fact::plain("Client's ID", row.external.clone().unwrap_or_else(|| "not recorded".to_owned())),
            Fact::new(
                "In the engine",
                Parts::new().link(format!("{} – {}", moment(begin, 3), moment(end, 3)), range),
            ),
            Fact::plain("Queue wait", known(row.queue_ns)),
            Fact::plain("First token", known(row.first_token_ns)),
        ];
        if let Some(prompt) = row.prompt_tokens {
            facts.push(Fact::plain("Prompt", counted(prompt as i64, "token")));
        }
        facts.push(Fact::plain("Output", counted(row.tokens as i64, "token")));
        facts.push(Fact::plain("Preemptions", count(row.preemptions)));
        facts
    }
}
