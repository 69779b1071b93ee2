//! Steps as the page lists and explains them.

use serde::Serialize;

use super::sentence::{Fact, Parts};

/// The order of the table of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By start.
    Time,
    /// By step time, longest first; steps without one last.
    Longest,
}

/// One line of the table of steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepRow {
    /// Index in start order; of a collapsed run, its first.
    pub index: u32,
    /// 1, or how many steps without members the line stands for.
    pub count: u32,
    /// The step's name.
    pub iteration: String,
    /// Start of the scheduler call.
    pub t0: f64,
    /// Completion; without one, the end of the scheduler call.
    pub t1: f64,
    /// `empty`, `prefill`, `decode` or `mixed`.
    pub kind: &'static str,
    /// Members compute again what they had computed before.
    pub recompute: bool,
    /// Length of the scheduler call; of a run, the longest.
    pub schedule_ns: Option<f64>,
    /// Step time (`insight.md` §2); of a run, the longest.
    pub step_ns: Option<f64>,
    /// From start to completion; of a run, from its first start to its last completion.
    pub residence_ns: Option<f64>,
    /// Tokens scheduled.
    pub tokens: Option<f64>,
    /// Of them inside prompts.
    pub prefill_tokens: f64,
    /// The rest.
    pub decode_tokens: f64,
    /// Members.
    pub members: u32,
    /// Requests it preempted.
    pub preempted: u32,
    /// `completed`, `failed` or `none`.
    pub outcome: &'static str,
}

/// A member of a step, every field as text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberRow {
    /// Index of its execution.
    pub execution: u32,
    /// One a column; `None` is "not recorded".
    pub cells: Vec<Option<String>>,
}

/// A step explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepDetail {
    /// Its line of the table, never collapsed.
    pub row: StepRow,
    /// Name and length.
    pub title: String,
    /// Why it took as long as it did.
    pub text: Parts,
    /// Its figures.
    pub facts: Vec<Fact>,
    /// Names of the members' columns.
    pub member_columns: Vec<&'static str>,
    /// The members in the engine's order.
    pub members: Vec<MemberRow>,
    /// The step before in start order.
    pub previous: Option<u32>,
    /// The step after.
    pub next: Option<u32>,
}
