//! What is under the cursor.

use crate::answers::CursorCard;
use crate::model::steps::flag;
use crate::model::{Knowledge, Timeline};
use crate::tell::place;
use crate::tell::words::{count, counted, duration, moment, rough, safe};

impl Timeline {
    /// The card of a time: the step in flight then, or the last before it, and whatever else holds.
    pub fn cursor(&self, t: f64) -> CursorCard {
        let t = if t.is_finite() { t as i64 } else { 0 };
        let mut lines = Vec::new();
        let step = self.steps.last_started(t).filter(|_| t <= self.clock.end());
        let mut title = moment(t, 3);
        if let Some(step) = step {
            let over = self.flies_until(step) <= t;
            title = format!("{title} · {}{}", if over { "after " } else { "" }, self.step_name(step));
            lines.extend(self.step_lines(step));
        }
        for &index in self.stalls.places(t, t.saturating_add(1)) {
            let listed = &self.stalls.list[index as usize];
            if let Some(judged) = listed.judged()
                && listed.t0 <= t
                && t < listed.t1
            {
                let what = if judged.warm_up { "first-call warm-up" } else { "stall" };
                let place = place(judged.stall.locus);
                let limit = rough(judged.limit.limit_ns);
                lines.push(format!("{what}: {} {place}, limit {limit}", duration(listed.duration)));
            }
        }
        for pause in self.pauses.iter().filter(|pause| pause.start <= t && t < pause.end) {
            let state = safe(&self.epoch.strings.display(pause.state));
            lines.push(format!("{state} for {}", duration(pause.end - pause.start)));
        }
        match self.known.worst(t, t.saturating_add(1)) {
            Knowledge::Silent => lines.push("the writer was silent".to_owned()),
            Knowledge::NotKnown => lines.push("records may be missing here".to_owned()),
            Knowledge::After => lines.push("after the end of the log".to_owned()),
            Knowledge::Outside => lines.push("outside the log".to_owned()),
            Knowledge::Whole => {}
        }
        CursorCard { step: step.map(|step| step as u32), title, lines }
    }

    fn step_lines(&self, step: usize) -> Vec<String> {
        let row = self.steps.row(step);
        let scheduled = &self.epoch.log.scheduled;
        let members = scheduled.members.range(row).len();
        let setting =
            |name: &str| self.epoch.hello.as_ref().and_then(|hello| hello.setting(name)).filter(|&n| n > 0);
        let mut lines = vec![match members {
            0 => "no members".to_owned(),
            n => format!("{}: {}", counted(n as i64, "member"), self.mix_in_words(step)),
        }];
        let tokens = match (scheduled.total_tokens.int(row), setting("max_num_batched_tokens")) {
            (None, _) => "tokens not recorded".to_owned(),
            (Some(tokens), None) => counted(tokens, "token"),
            (Some(tokens), Some(budget)) => format!("{} of {} tokens", count(tokens), count(budget)),
        };
        let (live, waiting) = self.occupancy.at(self.start(step));
        let live = match setting("max_num_seqs") {
            None => format!("{} live", count(live)),
            Some(seats) => format!("{} of {} seats", count(live), count(seats)),
        };
        let waiting = if waiting > 0 { format!(" · {} waiting", count(waiting)) } else { String::new() };
        lines.push(format!("{tokens} · {live}{waiting}"));
        let schedule = duration(self.end(step) - self.start(step));
        lines.push(match self.steps.step_time(&self.epoch, self.clock, step) {
            Some(time) => format!("step {} · schedule {schedule}", duration(time)),
            None => format!("no outcome · schedule {schedule}"),
        });
        let flags = self.steps.flags(step);
        if flags & flag::PREEMPTED != 0 {
            lines.push(format!(
                "preempted {}",
                counted(scheduled.preempted.range(row).len() as i64, "request")
            ));
        }
        if flags & flag::FAILED != 0 {
            lines.push("processing its output failed".to_owned());
        }
        lines
    }
}
