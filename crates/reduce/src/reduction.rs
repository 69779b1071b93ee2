//! Reducing one engine epoch.

use std::collections::BTreeMap;

use stepscope_epoch_log::Epoch;
use stepscope_epoch_log::json::Value;

use crate::alignment::Alignment;
use crate::executions::{self, Execution, Executions};
use crate::facts::{Options, RunFacts, RunRequest};
use crate::finishes;
use crate::identity::Identity;
use crate::kept::{Counts, Judge, KeptStep, Member};
use crate::mark::mark;
use crate::notes::{Note, NoteKind, Notes};
use crate::record::{Context, Text};
use crate::resets::Resets;
use crate::rows::Rows;
use crate::stages::{StageBuilder, StageRow};
use crate::steps::Steps;

/// What an engine epoch was reduced to: rows and indices into its tables. The records are built from them, one at
/// a time, by [`Reduction::each_record`].
#[derive(Clone, Debug)]
pub struct Reduction {
    pub(crate) context: Context,
    pub(crate) wall_domain: Text,
    pub(crate) alignment: Option<Alignment>,
    pub(crate) steps: Vec<KeptStep>,
    pub(crate) members: Vec<Member>,
    pub(crate) executions: Vec<Execution>,
    /// Executions that count, in the order of creation.
    pub(crate) order: Vec<u32>,
    /// Executions that get a request record, in that order.
    pub(crate) written_requests: Vec<u32>,
    pub(crate) requests: Vec<RunRequest>,
    pub(crate) stages: Vec<StageRow>,
    pub(crate) stage_counts: BTreeMap<&'static str, u64>,
    pub(crate) unanchored: Vec<Value>,
    pub(crate) reset_observed: bool,
    pub(crate) config: Value,
    pub(crate) has_key: bool,
    pub(crate) foreign_ids: &'static str,
    /// How many steps and members went which way.
    pub counts: Counts,
    /// `seq`s of the terminals that no membership could take, ascending (`reduce.md` F1.4).
    pub finish_unattached: Vec<i64>,
    /// The high-water mark (§12): the next import of this epoch may begin after it.
    pub high_water: Option<i64>,
    /// What could not be taken as it stood, and where the corrected rules leave the reference.
    pub notes: Vec<Note>,
}

/// Reduces an engine epoch (`reduce.md`). No value in the log makes it fail (§15).
pub fn reduce(epoch: &Epoch, facts: &RunFacts, options: &Options) -> Reduction {
    let mut notes = Notes::default();
    let identity = Identity::of(epoch, facts, options);
    if identity.odd_config {
        notes.add(NoteKind::ConfigNotObject, epoch.hello.as_ref().map(|hello| hello.seq));
    }
    let rows = Rows::of(epoch, options.rules, &mut notes);
    let steps = Steps::of(&rows, options.rules);
    let resets = Resets::of(&rows);
    let mut executions = Executions::new(epoch, facts, &identity);
    executions::form(&mut executions, &rows, &mut notes);
    executions::give_ends(&mut executions, &rows, &mut notes);
    let judge = Judge::new(&rows, facts, &identity, &resets, &mut executions, &mut notes);
    let (kept, existing_steps) = judge.judge(&steps);
    let finishes = finishes::place(&mut executions, &kept, &rows, &identity, &mut notes);
    let builder = StageBuilder::new(&rows, facts, &identity, &resets, &kept, &mut executions, &mut notes);
    let stages = builder.build(&existing_steps);
    let holds = [finishes.held, stages.holds].concat();
    let high_water = mark(&rows, &identity, &steps, &resets, &executions, &holds, &mut notes);
    let written_requests: Vec<u32> = executions
        .in_order()
        .filter(|&at| {
            let execution = executions.get(at);
            execution.memberships > 0 && !executions.is_existing(execution)
        })
        .collect();
    let alignment = Alignment::of(epoch, &mut notes).filter(|_| {
        let event_id = [b"alignment:", epoch.name.text.as_bytes()].concat();
        !facts.existing_alignments.contains(&event_id)
    });
    let (executions, order, requests) = executions.into_parts();
    let mut reduction = Reduction {
        alignment,
        steps: kept.steps,
        members: kept.members,
        executions,
        order,
        written_requests,
        requests,
        stages: stages.rows,
        stage_counts: stages.counts,
        unanchored: stages.unanchored,
        reset_observed: identity.reset_observed,
        has_key: identity.pseudonyms.is_some(),
        foreign_ids: identity.foreign_ids(),
        config: identity.config,
        wall_domain: identity.wall_domain,
        context: identity.context,
        counts: kept.counts,
        finish_unattached: finishes.unattached,
        high_water,
        notes: Vec::new(),
    };
    reduction.note_negatives(epoch, &mut notes);
    reduction.notes = notes.into_list();
    reduction
}
