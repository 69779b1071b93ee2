//! A step as the recorder sees it.

use rustc_hash::FxHashMap;
use stepscope_recorder::engine::{
    KnownEntry, LiveRequest, ModelOutput, Named, NewEntry, RequestOutput, StepIdentity, StepOutput,
};

use crate::request::{Place, Request};
use crate::scheduler::Scheduler;

/// A request in a step.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Its place among the scheduler's requests.
    pub(crate) request: usize,
    pub(crate) tokens: i64,
    pub(crate) drafts: i64,
    pub(crate) computed_before: i64,
    pub(crate) prompt_tokens: i64,
    pub(crate) is_new: bool,
    pub(crate) in_context: bool,
    /// Whether all known tokens are computed, so that new ones are sampled.
    pub(crate) samples: bool,
    /// How often the request had been preempted.
    pub(crate) generation: u64,
}

/// What one scheduler call gave.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(crate) entries: Vec<Entry>,
    pub(crate) preempted: Vec<usize>,
    pub(crate) total: i64,
    places: FxHashMap<usize, usize>,
}

/// What a step's output carries to name it: producer and iteration.
pub(crate) type IdentitySlot = Option<(String, String)>;

/// Tokens that processing a step sends to a client.
#[derive(Debug)]
pub(crate) struct RequestTokens {
    pub(crate) request: usize,
    pub(crate) new_tokens: i64,
    pub(crate) finish_reason: Option<&'static str>,
}

impl Step {
    pub(crate) fn add(&mut self, entry: Entry) {
        self.total += entry.tokens;
        self.places.insert(entry.request, self.entries.len());
        self.entries.push(entry);
    }
}

/// A step together with the requests it names and its identity.
pub(crate) struct StepView<'a> {
    pub(crate) step: &'a Step,
    pub(crate) identity: &'a mut IdentitySlot,
    pub(crate) scheduler: &'a Scheduler,
}

impl StepView<'_> {
    fn id(&self, place: usize) -> &str {
        &self.scheduler.requests[place].id
    }

    fn entry(&self, id: &str) -> Option<&Entry> {
        let place = self.scheduler.live(id)?;
        self.step.places.get(&place).map(|&entry| &self.step.entries[entry])
    }
}

impl StepOutput for StepView<'_> {
    fn total_tokens(&self) -> i64 {
        self.step.total
    }

    fn scheduled(&self) -> impl Iterator<Item = (&str, i64)> {
        self.step.entries.iter().map(|entry| (self.id(entry.request), entry.tokens))
    }

    fn scheduled_tokens(&self, id: &str) -> i64 {
        self.entry(id).map_or(0, |entry| entry.tokens)
    }

    fn new_entries(&self) -> impl Iterator<Item = NewEntry<'_>> {
        self.step.entries.iter().filter(|entry| entry.is_new).map(|entry| NewEntry {
            id: self.id(entry.request),
            prompt_tokens: entry.prompt_tokens,
            computed_tokens: entry.computed_before,
        })
    }

    fn known_entries(&self) -> impl Iterator<Item = KnownEntry<'_>> {
        self.step.entries.iter().filter(|entry| !entry.is_new).map(|entry| KnownEntry {
            id: self.id(entry.request),
            computed_tokens: entry.computed_before,
            in_context: Some(entry.in_context),
        })
    }

    fn draft_tokens(&self, id: &str) -> i64 {
        self.entry(id).map_or(0, |entry| entry.drafts)
    }

    fn preempted(&self) -> impl Iterator<Item = &str> {
        self.step.preempted.iter().map(|&place| self.id(place))
    }

    fn identity(&self) -> Option<StepIdentity<'_>> {
        self.identity.as_ref().map(|(producer, iteration)| StepIdentity { producer, iteration })
    }

    fn set_identity(&mut self, identity: StepIdentity<'_>) {
        *self.identity = Some((identity.producer.to_owned(), identity.iteration.to_owned()));
    }
}

impl stepscope_recorder::engine::Scheduler for Scheduler {
    fn live(&self, id: &str) -> Option<LiveRequest> {
        let request = &self.requests[Scheduler::live(self, id)?];
        Some(LiveRequest {
            prompt_tokens: request.prompt_tokens,
            output_tokens: request.output_tokens,
            finished: request.place == Place::Gone,
            stale_outputs: request.stale,
            drop_stale: request.stale > 0,
            resumable: Some(Request::is_resumable(request)),
        })
    }

    fn pause_state(&self) -> Option<Named<'_>> {
        Some(Named { name: Some(self.pause.name()), text: self.pause.name() })
    }
}

/// How many tokens the model sampled for each entry of a step, a row an entry.
pub(crate) struct Sampled<'a> {
    rows: FxHashMap<&'a str, usize>,
    counts: &'a [i64],
}

impl<'a> Sampled<'a> {
    pub(crate) fn new(step: &Step, scheduler: &'a Scheduler, counts: &'a [i64]) -> Self {
        let ids = step.entries.iter().map(|entry| scheduler.requests[entry.request].id.as_str());
        Self { rows: ids.zip(0..).collect(), counts }
    }
}

impl ModelOutput for Sampled<'_> {
    fn row(&self, id: &str) -> Option<usize> {
        self.rows.get(id).copied()
    }

    fn sampled_in_row(&self, row: usize) -> Option<usize> {
        self.counts.get(row).and_then(|&count| usize::try_from(count).ok())
    }
}

impl RequestTokens {
    /// As it is listed for the clients.
    pub(crate) fn listed<'a>(&self, scheduler: &'a Scheduler) -> RequestOutput<'a> {
        RequestOutput {
            id: &scheduler.requests[self.request].id,
            new_tokens: self.new_tokens,
            finish_reason: self.finish_reason,
        }
    }
}
