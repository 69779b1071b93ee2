//! A batch of requests that all decode one token a step: the plainest engine, for measuring what recording costs.

pub(crate) mod counting;

use rustc_hash::FxHashMap;

use stepscope_recorder::EngineRecorder;
use stepscope_recorder::engine::{
    KnownEntry, LiveRequest, ModelOutput, NewEntry, RequestOutput, Scheduler, StepIdentity, StepOutput,
    UpdateResult,
};

const PROMPT: i64 = 512;

/// The requests, which are also the scheduler's live ones and the rows of the model's output.
#[derive(Debug)]
pub(crate) struct Batch {
    ids: Vec<String>,
    places: FxHashMap<String, usize>,
    output_tokens: i64,
    /// The identity slot of the step at hand, an engine's own memory.
    producer: String,
    iteration: String,
}

impl Batch {
    /// A batch of this many members, with ids as long as vLLM makes them.
    pub(crate) fn new(members: usize) -> Self {
        let id = |n: usize| format!("cmpl-{:08x}-9d0c-4b77-a1f5-{:012x}-0-{n:08x}", n * 77_777, n * 31_337);
        let ids: Vec<String> = (0..members).map(id).collect();
        let places = ids.iter().enumerate().map(|(place, id)| (id.clone(), place)).collect();
        Self { ids, places, output_tokens: 0, producer: String::new(), iteration: String::new() }
    }

    /// One scheduler call and the processing of its output, as far as the recorder takes part.
    pub(crate) fn record_step(&mut self, recorder: &mut EngineRecorder) {
        let start = recorder.stamp();
        let (mut producer, mut iteration) =
            (std::mem::take(&mut self.producer), std::mem::take(&mut self.iteration));
        let mut output = Output { batch: self, producer: &mut producer, iteration: &mut iteration };
        recorder.scheduled(start, &mut output, self);
        recorder.before_update(&output, self, self);
        let outputs = self.ids.iter().map(|id| RequestOutput { id, new_tokens: 1, finish_reason: None });
        recorder.updated(&output, UpdateResult::Returned(outputs), self);
        (self.producer, self.iteration) = (producer, iteration);
        self.output_tokens += 1;
    }
}

/// The output of the step at hand. The first takes all requests in, later ones decode a token each.
struct Output<'a> {
    batch: &'a Batch,
    producer: &'a mut String,
    iteration: &'a mut String,
}

impl Output<'_> {
    fn tokens(&self) -> i64 {
        if self.batch.output_tokens == 0 { PROMPT } else { 1 }
    }

    /// The requests as new entries of the first step or as known entries of the others.
    fn ids(&self, first_step: bool) -> &[String] {
        if (self.batch.output_tokens == 0) == first_step { &self.batch.ids } else { &[] }
    }
}

impl StepOutput for Output<'_> {
    fn total_tokens(&self) -> i64 {
        self.tokens() * i64::try_from(self.batch.ids.len()).unwrap_or(i64::MAX)
    }

    fn scheduled(&self) -> impl Iterator<Item = (&str, i64)> {
        self.batch.ids.iter().map(|id| (id.as_str(), self.tokens()))
    }

    fn scheduled_tokens(&self, id: &str) -> i64 {
        self.batch.places.get(id).map_or(0, |_| self.tokens())
    }

    fn new_entries(&self) -> impl Iterator<Item = NewEntry<'_>> {
        self.ids(true).iter().map(|id| NewEntry { id, prompt_tokens: PROMPT, computed_tokens: 0 })
    }

    fn known_entries(&self) -> impl Iterator<Item = KnownEntry<'_>> {
        let computed_tokens = PROMPT + self.batch.output_tokens - 1;
        self.ids(false).iter().map(move |id| KnownEntry { id, computed_tokens, in_context: Some(false) })
    }

    fn identity(&self) -> Option<StepIdentity<'_>> {
        Some(StepIdentity { producer: self.producer, iteration: self.iteration })
    }

    fn set_identity(&mut self, identity: StepIdentity<'_>) {
        for (slot, text) in
            [(&mut self.producer, identity.producer), (&mut self.iteration, identity.iteration)]
        {
            slot.clear();
            slot.push_str(text);
        }
    }
}

impl Scheduler for Batch {
    fn live(&self, id: &str) -> Option<LiveRequest> {
        let live =
            LiveRequest { prompt_tokens: PROMPT, output_tokens: self.output_tokens, ..Default::default() };
        self.places.get(id).map(|_| live)
    }
}

impl ModelOutput for Batch {
    fn row(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    fn sampled_in_row(&self, row: usize) -> Option<usize> {
        (row < self.ids.len()).then_some(1)
    }
}
