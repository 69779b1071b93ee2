//! Where the two rule sets part on an epoch, and why.

use stepscope_epoch_log::{Epoch, Kind, Names};

use crate::config::Config;
use crate::diagnosis::{Diagnosis, JudgedStall, judge_with};
use crate::members::{is_malformed, may_be_malformed};
use crate::rules::{Correction, Corrections, Rules};
use crate::steps::Steps;
use crate::window::Window;

/// Says in words why the verdict of the reference, or its list of stalls over their limit, differs from the
/// corrected one, a sentence for each rule that makes a difference; empty when the two agree. `steps` are those of
/// the corrected rules; `config.rules` does not matter.
pub fn differences(epoch: &Epoch, steps: &Steps, config: &Config) -> Vec<String> {
    let (none, all) = (Corrections::from(Rules::Reference), Corrections::from(Rules::Corrected));
    let run = |corrections: Corrections| {
        // All that corrections change of the steps are members without a proper ID.
        if may_be_malformed(epoch) {
            let steps = Steps::of_window(&Window::of(epoch, config.tail_from), corrections);
            judge_with(epoch, &steps, config, corrections)
        } else {
            judge_with(epoch, steps, config, corrections)
        }
    };
    let (reference, corrected) = (run(none), run(all));
    let mut words = Vec::new();
    if corrected.dropped_records > 0 {
        words.push(format!(
            "the reference gives no verdict here: it stops at a record whose stamps, token count or members it \
             cannot take; {} such {} left out here",
            corrected.dropped_records,
            if corrected.dropped_records == 1 { "record is" } else { "records are" },
        ));
    }
    if agree(&reference, &corrected) {
        return words;
    }
    let before = words.len();
    for correction in Correction::ALL {
        let matters = !agree(&run(Corrections::only(correction)), &reference)
            || !agree(&run(all.without(correction)), &corrected);
        if matters {
            words.push(why(correction, epoch, config, &corrected));
        }
    }
    if words.len() == before {
        words.push("the reference judges this epoch otherwise, by several of its rules together".to_owned());
    }
    words
}

fn agree(a: &Diagnosis, b: &Diagnosis) -> bool {
    let same = |(a, b): (&JudgedStall, &JudgedStall)| (a.stall, a.limit) == (b.stall, b.limit);
    a.verdict == b.verdict
        && a.over_limit().count() == b.over_limit().count()
        && a.over_limit().zip(b.over_limit()).all(same)
}

fn why(correction: Correction, epoch: &Epoch, config: &Config, corrected: &Diagnosis) -> String {
    match correction {
        Correction::MemberlessLast => {
            "the reference reports no ongoing stall here: its last step had no members".to_owned()
        }
        Correction::EarlierTerminal => {
            "the reference reports no ongoing stall here: a request that waits bears an ID that an earlier request \
             ended with"
                .to_owned()
        }
        Correction::OddInterval => {
            let backwards =
                corrected.pauses.iter().chain(&config.exclude_wall).filter(|(start, end)| end <= start).count();
            if backwards > 0 {
                format!(
                    "the reference cuts stalls at {backwards} {} not end after {} (the wall clock was set back)",
                    if backwards == 1 { "pause that does" } else { "pauses that do" },
                    if backwards == 1 { "it begins" } else { "they begin" },
                )
            } else {
                "the reference leaves out stalls that have no length on the wall clock, because there were pauses"
                    .to_owned()
            }
        }
        Correction::MalformedId => {
            let window = Window::of(epoch, config.tail_from);
            let log = &epoch.log;
            let count = |names: &Names, rows: std::ops::Range<usize>| {
                rows.filter(|&row| is_malformed(epoch, names, row)).count()
            };
            let members: usize = window
                .rows(Kind::Scheduled)
                .map(|row| count(&log.scheduled.members.rows.internal, log.scheduled.members.range(row)))
                .sum();
            let ended = count(&log.terminal.internal, window.rows(Kind::Terminal));
            format!(
                "the reference counts requests whose ID is neither text nor an integer; {members} memberships and \
                 {ended} terminals with such IDs are left out here"
            )
        }
    }
}
