//! Which executions an epoch's records show (E1–E3, E6).

use stepscope_epoch_log::TextId;

use super::keys::NextKey;
use super::{Executions, NONE};
use crate::notes::Notes;
use crate::rows::Rows;

/// First use of every ID, monotonic ns (E2); `i64::MAX` stands for none, which no admission is before.
fn first_uses(rows: &Rows<'_>) -> Vec<Option<i64>> {
    let log = &rows.epoch.log;
    let mut firsts: Vec<Option<i64>> = vec![None; rows.epoch.strings.len()];
    let mut use_at = |id: TextId, time: i64| {
        let first = &mut firsts[id as usize];
        if first.is_none_or(|first| time < first) {
            *first = Some(time);
        }
    };
    let members = &log.scheduled.members;
    for row in rows.scheduled.clone() {
        let Some(start) = log.scheduled.start.mono.int(row) else { continue };
        for member in members.range(row).filter(|&member| rows.members.is_good(member)) {
            use_at(members.rows.internal.text[member], start);
        }
    }
    for row in rows.terminal.clone().filter(|&row| rows.terminal_ids.is_good(row)) {
        if let Some(time) = log.terminal.at.mono.int(row) {
            use_at(log.terminal.internal.text[row], time);
        }
    }
    firsts
}

/// Fills `executions` with those the records show (E3).
pub(crate) fn form(executions: &mut Executions<'_>, rows: &Rows<'_>, notes: &mut Notes) {
    let strings = &rows.epoch.strings;
    let alias = &rows.epoch.log.alias;
    let firsts = first_uses(rows);
    // Admissions of every ID, in E1's order.
    let mut admissions: Vec<(TextId, i64, u32)> = rows
        .alias
        .clone()
        .filter(|&row| rows.alias_ids.is_good(row))
        .map(|row| (alias.internal.text[row], alias.at.mono.int(row).unwrap_or(0), row as u32))
        .collect();
    admissions.sort_unstable();
    let mut ids: Vec<TextId> = admissions.iter().map(|admission| admission.0).collect();
    ids.dedup();
    let admitted = ids.len();
    for (id, _) in firsts.iter().enumerate().filter(|(_, first)| first.is_some()) {
        if ids[..admitted].binary_search(&(id as TextId)).is_err() {
            ids.push(id as TextId);
        }
    }
    ids.sort_unstable_by(|&a, &b| strings.get(a).cmp(strings.get(b)));

    for id in ids {
        let from = admissions.partition_point(|admission| admission.0 < id);
        let of_id = admissions[from..].iter().take_while(|admission| admission.0 == id);
        let first_admission = of_id.clone().next().map(|admission| alias.at.mono.int(admission.2 as usize));
        let is_continued = match (firsts[id as usize], first_admission) {
            (Some(_), None) => true,
            (Some(used), Some(Some(admitted))) => used < admitted,
            _ => false,
        };
        let start = executions.all.len();
        if is_continued {
            let execution = executions.continued(id);
            executions.insert(execution, notes);
        }
        let mut next = NextKey::default();
        for &(_, _, row) in of_id {
            let at = row as usize;
            let external =
                alias.external.text(at).map(|text| strings.get(text)).filter(|text| !text.is_empty());
            let mut execution = executions.admitted(id, (row, alias.seq[at]), external, &mut next);
            execution.admission = alias.at.mono.int(at);
            executions.insert(execution, notes);
        }
        let several = executions.all.len() - start > 1;
        for execution in &mut executions.all[start..] {
            execution.reused = several || execution.key.is_some();
        }
    }
}

/// Gives every execution its first `enqueued` and its first `terminal` (E8).
pub(crate) fn give_ends(executions: &mut Executions<'_>, rows: &Rows<'_>, notes: &mut Notes) {
    let (enqueued, terminal) = (&rows.epoch.log.enqueued, &rows.epoch.log.terminal);
    let mut enqueues = rows.enqueued.clone().filter(|&row| rows.enqueued_ids.is_good(row)).peekable();
    let mut terminals = rows.terminal.clone().filter(|&row| rows.terminal_ids.is_good(row)).peekable();
    loop {
        let (next_enqueued, next_terminal) = (enqueues.peek().copied(), terminals.peek().copied());
        match (next_enqueued, next_terminal) {
            (Some(row), other) if other.is_none_or(|other| enqueued.seq[row] < terminal.seq[other]) => {
                enqueues.next();
                let (id, time) = (enqueued.internal.text[row], enqueued.at.mono.int(row));
                let at = executions.find_or_create(id, time, notes);
                let first = &mut executions.get_mut(at).enqueued;
                if *first == NONE {
                    *first = row as u32;
                }
            }
            (_, Some(row)) => {
                terminals.next();
                let (id, time) = (terminal.internal.text[row], terminal.at.mono.int(row));
                let at = executions.find_or_create(id, time, notes);
                let first = &mut executions.get_mut(at).terminal;
                if *first == NONE {
                    *first = row as u32;
                }
            }
            (_, None) => return,
        }
    }
}
