//! A request, as a client asks for it and as the engine holds it.

use crate::blocks::Held;

/// What a client asks for.
#[derive(Debug, Clone)]
pub(crate) struct RequestSpec {
    /// The client's name for it; the engine adds random characters for its own.
    pub(crate) name: String,
    pub(crate) prompt_tokens: i64,
    /// Output tokens at most, reached by `length`.
    pub(crate) max_tokens: i64,
    /// Output tokens after which the model stops by itself.
    pub(crate) stop_after: Option<i64>,
    /// The prefix its prompt begins with: which, and how many tokens of it.
    pub(crate) prefix: Option<(u32, i64)>,
    /// Time until its grammar is compiled, ns; `None` without structured output.
    pub(crate) grammar_ns: Option<i64>,
    /// A streaming-input request: the tokens and the delay after the end of the turn before, for each later input.
    pub(crate) inputs: Vec<(i64, i64)>,
    /// After how many output tokens the client goes away.
    pub(crate) abort_after: Option<i64>,
}

impl RequestSpec {
    pub(crate) fn new(name: impl Into<String>, prompt_tokens: i64, max_tokens: i64) -> Self {
        Self {
            name: name.into(),
            prompt_tokens,
            max_tokens,
            stop_after: None,
            prefix: None,
            grammar_ns: None,
            inputs: Vec::new(),
            abort_after: None,
        }
    }
}

/// Where a live request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the queue: new, or preempted and not resumed.
    Waiting,
    /// In the batch.
    Running,
    /// A streaming request between two inputs.
    BetweenInputs,
    /// Freed.
    Gone,
}

/// A request in the engine.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) spec: RequestSpec,
    pub(crate) place: Place,
    pub(crate) prompt_tokens: i64,
    pub(crate) output_tokens: i64,
    /// Tokens computed, advanced when they are scheduled.
    pub(crate) computed: i64,
    /// Output tokens that steps in flight will make.
    pub(crate) placeholders: i64,
    /// Draft tokens proposed for the next step.
    pub(crate) drafts: i64,
    /// Whether the workers know it.
    pub(crate) is_known: bool,
    pub(crate) grammar_ready_ns: i64,
    /// Steps in flight whose output belongs to it, and how many of those belong to a state it has left.
    pub(crate) in_flight: i64,
    pub(crate) stale: i64,
    /// How often what is in flight became stale.
    pub(crate) generation: u64,
    /// Which of its inputs comes next.
    pub(crate) next_input: usize,
    pub(crate) held: Held,
    pub(crate) has_run: bool,
}

impl Request {
    /// Tokens known or on their way.
    pub(crate) fn all_tokens(&self) -> i64 {
        self.prompt_tokens + self.output_tokens + self.placeholders
    }

    /// Whether more input may come.
    pub(crate) fn is_resumable(&self) -> bool {
        self.next_input < self.spec.inputs.len()
    }

    /// Whether the outputs it may make are all made or on their way.
    pub(crate) fn is_at_its_length(&self) -> bool {
        self.output_tokens + self.placeholders >= self.spec.max_tokens
    }
}
