//! What the recorder needs to know of an engine (`record.md` §2). Nothing here is any engine's own type; plain values
//! are handed over, so that no fact can fail to be read half-way.

/// A live request, as the scheduler shows it at the moment of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveRequest {
    /// Prompt length now, tokens. A streaming request's grows.
    pub prompt_tokens: i64,
    /// Output tokens so far.
    pub output_tokens: i64,
    /// Whether it has finished although it is still listed.
    pub finished: bool,
    /// Outputs outstanding that belong to an earlier state of it.
    pub stale_outputs: i64,
    /// Whether such an output is to be dropped.
    pub drop_stale: bool,
    /// Whether it takes more input later; `None` when the engine does not say.
    pub resumable: Option<bool>,
}

/// A value that has a printed form and perhaps a name, as a member of an enumeration has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// Its name, if it has one. May be empty.
    pub name: Option<&'a str>,
    /// Its printed form.
    pub text: &'a str,
}

impl<'a> Named<'a> {
    /// A plain text.
    pub fn text(text: &'a str) -> Self {
        Self { name: None, text }
    }

    /// The name of a pause state: its name, also an empty one, else its text (`record.md` P3).
    pub(crate) fn state_name(self) -> &'a str {
        self.name.unwrap_or(self.text)
    }

    /// The name of a status: its name unless empty, else its text (`record.md` §8).
    pub(crate) fn status_name(self) -> &'a str {
        self.name.filter(|name| !name.is_empty()).unwrap_or(self.text)
    }
}

/// The scheduler's facts.
pub trait Scheduler {
    /// The request of this id, if it is live.
    fn live(&self, id: &str) -> Option<LiveRequest>;

    /// The pause state, `None` when the engine does not say.
    fn pause_state(&self) -> Option<Named<'_>> {
        None
    }

    /// Tokens sampled per request and step without speculation.
    fn sampled_per_step(&self) -> i64 {
        1
    }
}

/// A request that a step schedules for the first time since it entered the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewEntry<'a> {
    /// Request id.
    pub id: &'a str,
    /// Prompt length, tokens.
    pub prompt_tokens: i64,
    /// Tokens already computed when it was scheduled.
    pub computed_tokens: i64,
}

/// A request that the workers already know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownEntry<'a> {
    /// Request id.
    pub id: &'a str,
    /// Tokens already computed when it was scheduled. From the output, not from the live request, whose count has
    /// been advanced by the time the scheduler call returns.
    pub computed_tokens: i64,
    /// Whether the engine still sees it in its context phase; `None` when the engine has no such notion.
    pub in_context: Option<bool>,
}

/// The pair that names a step wherever its output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepIdentity<'a> {
    /// Whose step.
    pub producer: &'a str,
    /// Which.
    pub iteration: &'a str,
}

/// What one scheduler call returned.
pub trait StepOutput {
    /// Total scheduled tokens.
    fn total_tokens(&self) -> i64;
    /// Scheduled tokens by id, ids distinct, in the engine's order.
    fn scheduled(&self) -> impl Iterator<Item = (&str, i64)>;
    /// Scheduled tokens of one id, 0 when it is not among them.
    fn scheduled_tokens(&self, id: &str) -> i64;
    /// New entries, in the engine's order.
    fn new_entries(&self) -> impl Iterator<Item = NewEntry<'_>>;
    /// Known entries, in the engine's order.
    fn known_entries(&self) -> impl Iterator<Item = KnownEntry<'_>>;
    /// Speculative tokens of one id.
    fn draft_tokens(&self, id: &str) -> i64 {
        let _ = id;
        0
    }
    /// Preempted ids, distinct, in any order.
    fn preempted(&self) -> impl Iterator<Item = &str> {
        std::iter::empty()
    }
    /// What the identity slot holds.
    fn identity(&self) -> Option<StepIdentity<'_>>;
    /// Puts an identity into the slot, which travels with the output to the workers.
    fn set_identity(&mut self, identity: StepIdentity<'_>);
}

/// What the model made of a step.
pub trait ModelOutput {
    /// The row of an id among the sampled tokens.
    fn row(&self, id: &str) -> Option<usize>;
    /// How many sampled tokens a row holds; `None` when there is no such row.
    fn sampled_in_row(&self, row: usize) -> Option<usize>;
}

/// A step whose model gave nothing.
impl ModelOutput for () {
    fn row(&self, _: &str) -> Option<usize> {
        None
    }

    fn sampled_in_row(&self, _: usize) -> Option<usize> {
        None
    }
}

/// What processing a step's output sends to a client for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestOutput<'a> {
    /// Request id.
    pub id: &'a str,
    /// How many new tokens it lists; 0 without a list.
    pub new_tokens: i64,
    /// Its finish reason.
    pub finish_reason: Option<&'a str>,
}

/// How the processing of a step's output ended. `I` gives the outputs of all clients, in the result's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateResult<I> {
    /// It returned these outputs.
    Returned(I),
    /// It returned nothing, or something of another shape.
    Unrecognized,
    /// It raised.
    Failed,
}

/// A request that is about to be freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreedRequest<'a> {
    /// Request id.
    pub id: &'a str,
    /// Output tokens at this moment.
    pub output_tokens: i64,
    /// Its status.
    pub status: Option<Named<'a>>,
    /// Its finish reason.
    pub finish_reason: Option<&'a str>,
}
