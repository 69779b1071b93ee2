//! The table of requests.

use stepscope_epoch_log::order::places_by;

use crate::answers::{OwnRequest, RequestIds, RequestOrder, RequestRow, RequestRows};
use crate::model::executions::entry;
use crate::model::steps::NONE;
use crate::model::{Ended, Timeline, outcome_of};
use crate::tell::words::safe;

fn contains(text: &[u8], search: &[u8]) -> bool {
    text.windows(search.len()).any(|part| part.eq_ignore_ascii_case(search))
}

impl Timeline {
    /// The IDs of all requests, by which a client can say which are its own.
    pub fn request_ids(&self) -> RequestIds {
        let text = |id| self.epoch.strings.display(id).into_owned();
        let all = || 0..self.executions.len();
        let hello = self.epoch.hello.as_ref();
        let randomization = hello.and_then(|hello| {
            hello.config.iter().find(|(name, _)| name == "request_id_randomization")?.1.as_deref()
        });
        RequestIds {
            randomization: randomization.and_then(|json| json.parse().ok()),
            internal: all().map(|at| text(self.executions.internal(at))).collect(),
            external: all().map(|at| self.executions.external(&self.epoch, at).map(text)).collect(),
        }
    }

    /// Says which requests are a client's own, in the order of [`Timeline::request_ids`].
    pub fn set_own(&mut self, own: Vec<Option<OwnRequest>>) {
        self.executions.own = own;
    }

    /// Of the requests whose engine's or client's ID contains `search`, whatever the case of its ASCII letters, at most `count` from
    /// `from` on; all match the empty text.
    pub fn request_rows(&self, order: RequestOrder, search: &str, from: u32, count: u32) -> RequestRows {
        let search = search.trim_ascii();
        let places = places_by(self.executions.len(), |execution| self.request_key(order, execution));
        let found: Vec<u32> =
            places.into_iter().filter(|&at| self.request_matches(at as usize, search.as_bytes())).collect();
        let rows = found.iter().skip(from as usize).take(count as usize);
        RequestRows {
            total: found.len() as u32,
            rows: rows.map(|&at| self.request_row(at as usize)).collect(),
        }
    }

    /// The line of one request.
    pub(crate) fn request_row(&self, execution: usize) -> RequestRow {
        let (requests, epoch) = (&self.executions, &self.epoch);
        let text = |id| safe(&epoch.strings.display(id));
        RequestRow {
            index: execution as u32,
            name: safe(&requests.name(epoch, execution)),
            internal: text(requests.internal(execution)),
            external: requests.external(epoch, execution).map(text),
            own: requests.own(execution).cloned(),
            t0: requests.begin(execution) as f64,
            t1: requests.end(execution) as f64,
            queue_ns: self.queued(execution).map(|time| time as f64),
            first_token_ns: self.to_first_token(execution).map(|time| time as f64),
            steps: requests.steps(execution).len() as u32,
            prompt_tokens: self.prompt_tokens(execution).map(|tokens| tokens as f64),
            tokens: self.tokens_out(execution) as f64,
            preemptions: requests.preemptions_of(execution).len() as u32,
            finish: match requests.ended(execution) {
                Ended::Stop => "stop",
                Ended::Length => "length",
                Ended::Abort => "abort",
                Ended::Other => "other",
                Ended::Not => "running",
                Ended::Lost => "lost",
            },
        }
    }

    fn request_key(&self, order: RequestOrder, execution: usize) -> i64 {
        let most = |value: Option<i64>| value.map_or(i64::MAX, i64::saturating_neg);
        match order {
            RequestOrder::Time => self.executions.begin(execution),
            RequestOrder::Queue => most(self.queued(execution)),
            RequestOrder::FirstToken => most(self.to_first_token(execution)),
            RequestOrder::Length => {
                most(Some(self.executions.end(execution) - self.executions.begin(execution)))
            }
            RequestOrder::Steps => most(Some(self.executions.steps(execution).len() as i64)),
            RequestOrder::Tokens => most(Some(self.tokens_out(execution))),
            RequestOrder::Own => {
                self.executions.own(execution).map_or(i64::MAX, |_| self.executions.begin(execution))
            }
            RequestOrder::Preemptions => most(Some(self.executions.preemptions_of(execution).len() as i64)),
        }
    }

    fn request_matches(&self, execution: usize, search: &[u8]) -> bool {
        let holds = |id| contains(self.epoch.strings.get(id), search);
        let own = |own: &OwnRequest| contains(own.request_id.as_bytes(), search);
        search.is_empty()
            || self.executions.own(execution).is_some_and(own)
            || holds(self.executions.internal(execution))
            || self.executions.external(&self.epoch, execution).is_some_and(holds)
    }

    /// When the engine took it in, when that was recorded.
    fn admitted(&self, execution: usize) -> Option<i64> {
        let row = self.executions.alias[execution];
        let at =
            if row == NONE { None } else { self.clock.of_row(&self.epoch.log.alias.at.mono, row as usize) };
        at.or_else(|| self.executions.enqueued(&self.epoch, self.clock, execution))
    }

    fn queued(&self, execution: usize) -> Option<i64> {
        let first = *self.executions.steps(execution).first()?;
        Some((self.start(first as usize) - self.admitted(execution)?).max(0))
    }

    fn to_first_token(&self, execution: usize) -> Option<i64> {
        let at = self
            .executions
            .entries(execution)
            .find(|&at| self.executions.entry_bits[at] & entry::TOKEN != 0)?;
        let done = self.done(self.executions.entry_step[at] as usize)?;
        Some((done - self.admitted(execution)?).max(0))
    }

    fn prompt_tokens(&self, execution: usize) -> Option<i64> {
        let step = *self.executions.steps(execution).first()? as usize;
        let members = &self.epoch.log.scheduled.members;
        let internal = self.executions.internal(execution);
        let row =
            members.range(self.steps.row(step)).find(|&row| members.rows.internal.text[row] == internal)?;
        members.rows.prompt_tokens.int(row)
    }

    fn tokens_out(&self, execution: usize) -> i64 {
        let row = self.executions.terminal[execution];
        let counted =
            if row == NONE { None } else { self.epoch.log.terminal.output_tokens.int(row as usize) };
        counted.unwrap_or_else(|| self.tokens_kept(execution))
    }

    /// Tokens that the outcomes of its steps kept.
    fn tokens_kept(&self, execution: usize) -> i64 {
        let outcomes = &self.epoch.log.completed.members;
        let internal = self.executions.internal(execution);
        let kept = self.executions.steps(execution).iter().filter_map(|&step| {
            let row = outcome_of(&self.epoch, self.steps.outcome(step as usize)?, 0, internal)?;
            outcomes.rows.retained.int(row)
        });
        kept.fold(0, i64::saturating_add)
    }
}
