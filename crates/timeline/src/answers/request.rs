//! Requests as the page lists them.

use serde::Serialize;

use super::sentence::{Fact, Parts};

/// The order of the table of requests; what is not known stands last in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOrder {
    /// By arrival.
    Time,
    /// By the wait before the first step, longest first.
    Queue,
    /// By the time to the first token, longest first.
    FirstToken,
    /// By the time in the engine, longest first.
    Length,
    /// By steps, most first.
    Steps,
    /// By tokens, most first.
    Tokens,
    /// By preemptions, most first.
    Preemptions,
    /// The client's own first, by arrival.
    Own,
}

/// A request of a client's run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnRequest {
    /// The client's own ID of it.
    pub request_id: String,
    /// The case it belongs to.
    pub case_id: Option<String>,
    /// The phase of the run.
    pub phase: Option<String>,
}

/// What a client's requests are found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestIds {
    /// Whether the engine adds something random to its IDs, as the hello says.
    pub randomization: Option<bool>,
    /// Of each execution the engine's ID.
    pub internal: Vec<String>,
    /// Of each execution the client's; `None` when the log has no admission of it.
    pub external: Vec<Option<String>>,
}

/// A stay of a request in the engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestRow {
    /// Index of the execution.
    pub index: u32,
    /// The ID to show: the client's, else the engine's.
    pub name: String,
    /// The engine's ID.
    pub internal: String,
    /// The client's ID; `None` when the log has no admission of it.
    pub external: Option<String>,
    /// The request of a client's run that it is, once an artifact of that run was opened with the log.
    pub own: Option<OwnRequest>,
    /// When it was first heard of.
    pub t0: f64,
    /// When it was freed, or what the log says of it ends.
    pub t1: f64,
    /// From its admission to the start of its first step; `None`: no admission recorded, or it never ran.
    pub queue_ns: Option<f64>,
    /// From its admission to the outcome that had its first token.
    pub first_token_ns: Option<f64>,
    /// Steps it was a member of.
    pub steps: u32,
    /// Tokens of its prompt.
    pub prompt_tokens: Option<f64>,
    /// Tokens it put out, as the engine counted them when it ended; else as many as its outcomes kept.
    pub tokens: f64,
    /// How often it was preempted.
    pub preemptions: u32,
    /// `stop`, `length`, `abort`, `other`, `running` (in the engine when the log ends) or `lost` (its end is not in the
    /// log).
    pub finish: &'static str,
}

/// A request explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestDetail {
    /// Its line of the table.
    pub row: RequestRow,
    /// Name and length.
    pub title: String,
    /// What became of it.
    pub text: Parts,
    /// Its figures.
    pub facts: Vec<Fact>,
}

/// Lines of the table of requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestRows {
    /// How many match the search.
    pub total: u32,
    /// Those asked for.
    pub rows: Vec<RequestRow>,
}
