//! The table of steps.

use stepscope_epoch_log::order::places_by;

use crate::answers::{Order, StepRow};
use crate::model::Timeline;
use crate::model::steps::flag;
use crate::tell::words::safe;

impl Timeline {
    /// Lines of the table of steps: runs of two or more steps without members are one.
    pub(crate) fn step_row_count(&self) -> usize {
        self.empty_runs.lines()
    }

    /// At most `count` lines of the table from line `from` on.
    pub fn step_rows(&self, order: Order, from: u32, count: u32) -> Vec<StepRow> {
        let lines = self.step_row_count();
        let from = (from as usize).min(lines);
        let to = from.saturating_add(count as usize).min(lines);
        match order {
            Order::Time => (from..to).map(|line| self.step_row_of_line(line)).collect(),
            Order::Longest => self.longest_first()[from..to]
                .iter()
                .map(|&line| self.step_row_of_line(line as usize))
                .collect(),
        }
    }

    /// The line of a step in an order; of a step that is not there, 0.
    pub fn row_of_step(&self, order: Order, step: u32) -> u32 {
        if step as usize >= self.steps.len() {
            return 0;
        }
        let line = self.empty_runs.line_of(step as usize) as u32;
        match order {
            Order::Time => line,
            Order::Longest => self.longest_first().iter().position(|&at| at == line).unwrap_or(0) as u32,
        }
    }

    /// Lines by step time, the longest first; made when first asked for.
    fn longest_first(&self) -> &[u32] {
        self.longest_first.get_or_init(|| {
            let time = |line: u32| {
                let (first, count) = self.empty_runs.steps_of(line as usize);
                self.steps.longest(&self.epoch, self.clock, first, first + count)
            };
            places_by(self.step_row_count(), |line| time(line as u32).map_or(i64::MAX, i64::saturating_neg))
        })
    }

    fn step_row_of_line(&self, line: usize) -> StepRow {
        let (first, count) = self.empty_runs.steps_of(line);
        if count == 1 { self.step_row(first) } else { self.run_row(first, count) }
    }

    /// The line of one step.
    pub(crate) fn step_row(&self, step: usize) -> StepRow {
        let (steps, log) = (&self.steps, &self.epoch.log);
        let row = steps.row(step);
        let (start, end, done) = (self.start(step), self.end(step), self.done(step));
        let flags = steps.flags(step);
        let members = log.scheduled.members.range(row);
        let rows = &log.scheduled.members.rows;
        let sum = |of: &dyn Fn(usize) -> Option<i64>| {
            members.clone().filter_map(of).fold(0i64, i64::saturating_add) as f64
        };
        StepRow {
            index: step as u32,
            count: 1,
            iteration: safe(&self.epoch.strings.display(steps.iteration(&self.epoch, step))),
            t0: start as f64,
            t1: done.unwrap_or(end) as f64,
            kind: steps.kind(step),
            recompute: flags & flag::RECOMPUTE != 0,
            schedule_ns: Some((end - start) as f64),
            step_ns: steps.step_time(&self.epoch, self.clock, step).map(|time| time as f64),
            residence_ns: done.map(|done| (done - start) as f64),
            tokens: log.scheduled.total_tokens.int(row).map(|tokens| tokens as f64),
            prefill_tokens: sum(&|member| rows.prefill_scheduled.int(member)),
            decode_tokens: sum(&|member| rows.past_prompt_scheduled.int(member)),
            members: members.len() as u32,
            preempted: log.scheduled.preempted.range(row).len() as u32,
            outcome: match (flags & flag::FAILED != 0, done) {
                (true, _) => "failed",
                (false, Some(_)) => "completed",
                (false, None) => "none",
            },
        }
    }

    /// The line of a run of steps without members.
    fn run_row(&self, first: usize, count: usize) -> StepRow {
        let last = first + count - 1;
        let (start, until) = (self.start(first), self.flies_until(last).max(self.end(last)));
        let schedule = (first..=last).map(|step| self.end(step) - self.start(step)).max();
        let preempted: usize = (first..=last)
            .map(|step| self.epoch.log.scheduled.preempted.range(self.steps.row(step)).len())
            .sum();
        StepRow {
            count: count as u32,
            t1: until as f64,
            schedule_ns: schedule.map(|time| time as f64),
            step_ns: self.steps.longest(&self.epoch, self.clock, first, last + 1).map(|time| time as f64),
            residence_ns: Some((until - start) as f64),
            preempted: preempted as u32,
            ..self.step_row(first)
        }
    }
}
