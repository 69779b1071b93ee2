//! Which requests run in a step: continuous batching with chunked prefill under a token budget, paged KV memory with
//! preemption by recompute, and what processing a step's output does to them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use stepscope_recorder::EngineRecorder;
use stepscope_recorder::engine::{FreedRequest, Named};

use crate::blocks::Blocks;
use crate::config::EngineConfig;
use crate::request::{Place, Request};
use crate::script::PauseState;
use crate::step::{Entry, RequestTokens, Step};

/// The scheduler: its requests in the order they came, its queue, its batch and its memory.
#[derive(Debug)]
pub(crate) struct Scheduler {
    pub(crate) config: EngineConfig,
    pub(crate) requests: Vec<Request>,
    by_id: FxHashMap<String, usize>,
    waiting: VecDeque<usize>,
    pub(crate) running: Vec<usize>,
    pub(crate) blocks: Blocks,
    pub(crate) pause: PauseState,
    /// Preempted by a cache reset since the last step.
    reset_preempted: Vec<usize>,
    live: usize,
}

/// What a processed output leaves to the engine.
#[derive(Debug, Default)]
pub(crate) struct Processed {
    /// What is sent to the clients.
    pub(crate) outputs: Vec<RequestTokens>,
    /// Requests that have ended, for whatever reason.
    pub(crate) ended: Vec<usize>,
    /// Streaming requests whose turn is over.
    pub(crate) turns: Vec<usize>,
    /// Requests whose clients go away now.
    pub(crate) leaving: Vec<usize>,
}

impl Scheduler {
    pub(crate) fn new(config: EngineConfig) -> Self {
        let blocks = Blocks::new(config.num_gpu_blocks, config.block_size);
        Self {
            config,
            requests: Vec::new(),
            by_id: FxHashMap::default(),
            waiting: VecDeque::new(),
            running: Vec::new(),
            blocks,
            pause: PauseState::Unpaused,
            reset_preempted: Vec::new(),
            live: 0,
        }
    }

    /// The live request of this id.
    pub(crate) fn live(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn has_live(&self) -> bool {
        self.live > 0
    }

    /// Whether every live request only waits for its next input.
    pub(crate) fn only_between_inputs(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }

    /// A new request enters the queue.
    pub(crate) fn add(&mut self, request: Request) -> usize {
        let place = self.requests.len();
        self.by_id.insert(request.id.clone(), place);
        self.requests.push(request);
        self.waiting.push_back(place);
        self.live += 1;
        place
    }

    /// The next input of a streaming request: what it has said becomes part of its prompt.
    pub(crate) fn add_input(&mut self, place: usize) {
        let request = &mut self.requests[place];
        let Some(&(tokens, _)) = request.spec.inputs.get(request.next_input) else { return };
        request.next_input += 1;
        request.prompt_tokens += request.output_tokens + tokens;
        request.output_tokens = 0;
        request.place = Place::Waiting;
        self.waiting.push_back(place);
    }

    /// One scheduler call at `now_ns`.
    pub(crate) fn schedule(&mut self, now_ns: i64) -> Step {
        let mut step = Step::default();
        step.preempted.append(&mut self.reset_preempted);
        let reset = step.preempted.len();
        let mut budget = self.config.max_num_batched_tokens;
        self.schedule_running(&mut step, &mut budget);
        // A step that had to preempt admits nobody.
        if step.preempted.len() == reset && self.pause == PauseState::Unpaused {
            self.schedule_waiting(&mut step, &mut budget, now_ns);
        }
        step
    }

    fn schedule_running(&mut self, step: &mut Step, budget: &mut i64) {
        let mut next = 0;
        while next < self.running.len() && *budget > 0 {
            let place = self.running[next];
            let request = &self.requests[place];
            let known = request.all_tokens() - request.computed;
            let drafts = request.drafts.min(request.spec.max_tokens - request.output_tokens - 1).max(0);
            let tokens = (known + drafts).min(*budget);
            if tokens <= 0 || request.is_at_its_length() {
                next += 1;
                continue;
            }
            let mut fits = self.hold(place, 0, request.computed + tokens);
            while !fits && self.running.len() > next {
                let Some(victim) = self.running.pop() else { break };
                self.preempt(victim);
                step.preempted.push(victim);
                fits =
                    self.running.len() > next && self.hold(place, 0, self.requests[place].computed + tokens);
            }
            if !fits {
                break;
            }
            let drafts = (tokens - known).max(0);
            self.enter(step, place, tokens, drafts, false);
            *budget -= tokens;
            next += 1;
        }
    }

    fn schedule_waiting(&mut self, step: &mut Step, budget: &mut i64, now_ns: i64) {
        let mut next = 0;
        while next < self.waiting.len() && *budget > 0 && self.running.len() < self.config.max_num_seqs {
            let place = self.waiting[next];
            let request = &self.requests[place];
            if request.grammar_ready_ns > now_ns {
                next += 1;
                continue;
            }
            let all = request.all_tokens();
            let cached = match request.computed {
                0 => self.blocks.cached_tokens(request.spec.prefix, all - 1),
                computed => computed,
            };
            let tokens = (all - cached).min(*budget);
            let is_small = tokens < self.config.smallest_chunk && tokens < all - cached;
            let newly_cached = if request.computed == 0 { cached } else { 0 };
            if is_small || !self.hold(place, newly_cached, cached + tokens) {
                break;
            }
            self.waiting.remove(next);
            self.running.push(place);
            let request = &mut self.requests[place];
            request.place = Place::Running;
            request.computed = cached;
            let is_new = !request.is_known;
            request.is_known = true;
            self.enter(step, place, tokens, 0, is_new);
            *budget -= tokens;
        }
    }

    fn hold(&mut self, place: usize, cached: i64, tokens: i64) -> bool {
        let request = &mut self.requests[place];
        self.blocks.hold(&mut request.held, request.spec.prefix, cached, tokens)
    }

    /// Puts a request into a step; its computed tokens are advanced at once.
    fn enter(&mut self, step: &mut Step, place: usize, tokens: i64, drafts: i64, is_new: bool) {
        let request = &mut self.requests[place];
        let computed_before = request.computed;
        request.computed += tokens;
        request.in_flight += 1;
        request.has_run = true;
        let samples = request.computed - drafts == request.all_tokens();
        let in_context = request.output_tokens + request.placeholders == 0;
        if samples {
            request.placeholders += i64::from(self.config.async_scheduling);
        }
        let generation = request.generation;
        step.add(Entry {
            request: place,
            tokens,
            drafts,
            computed_before,
            prompt_tokens: request.prompt_tokens,
            is_new,
            in_context,
            samples,
            generation,
        });
    }

    /// Takes a request's memory away and puts it at the head of the queue, to be computed anew.
    fn preempt(&mut self, place: usize) {
        let request = &mut self.requests[place];
        self.blocks.release(&mut request.held, request.spec.prefix);
        request.place = Place::Waiting;
        request.computed = 0;
        request.placeholders = 0;
        request.drafts = 0;
        request.stale = request.in_flight;
        request.generation += 1;
        self.waiting.push_front(place);
    }

    /// Resets the prefix cache, with the running requests or without. Whether it succeeds: blocks in use stay.
    pub(crate) fn reset_cache(&mut self, running: bool) -> bool {
        if running {
            // The last of the batch goes first, so that the first of it heads the queue.
            while let Some(victim) = self.running.pop() {
                self.preempt(victim);
                self.reset_preempted.push(victim);
            }
        }
        let succeeds = self.running.is_empty();
        if succeeds {
            self.blocks.forget_cached();
        }
        succeeds
    }

    /// Takes a request out, wherever it is. The recorder is told before, as the engine does.
    pub(crate) fn free(&mut self, place: usize, status: &str, reason: &str, recorder: &mut EngineRecorder) {
        let request = &mut self.requests[place];
        if request.place == Place::Gone {
            return;
        }
        let text = format!("RequestStatus.{status}");
        recorder.freeing(&FreedRequest {
            id: &request.id,
            output_tokens: request.output_tokens,
            status: Some(Named { name: Some(status), text: &text }),
            finish_reason: Some(reason),
        });
        self.blocks.release(&mut request.held, request.spec.prefix);
        request.place = Place::Gone;
        self.by_id.remove(&request.id);
        self.running.retain(|&running| running != place);
        self.waiting.retain(|&waiting| waiting != place);
        self.reset_preempted.retain(|&preempted| preempted != place);
        self.live -= 1;
    }

    /// Processes a step's output; `sampled` counts the tokens of each entry.
    pub(crate) fn process(
        &mut self,
        step: &Step,
        sampled: &[i64],
        recorder: &mut EngineRecorder,
    ) -> Processed {
        let mut processed = Processed::default();
        for (entry, &sampled) in step.entries.iter().zip(sampled) {
            let place = entry.request;
            let request = &mut self.requests[place];
            request.in_flight -= 1;
            if request.place == Place::Gone {
                continue;
            }
            if entry.generation != request.generation {
                request.stale -= 1;
                continue;
            }
            self.blocks.keep(&mut request.held, request.spec.prefix, request.computed);
            if !entry.samples {
                continue;
            }
            request.placeholders -= i64::from(self.config.async_scheduling);
            request.computed -= entry.drafts - (sampled - 1).min(entry.drafts);
            let (new_tokens, reason) = append(request, sampled);
            let is_over = reason.is_some();
            let waits_for_input = is_over && request.is_resumable();
            let finish_reason = reason.filter(|_| !waits_for_input);
            processed.outputs.push(RequestTokens { request: place, new_tokens, finish_reason });
            if waits_for_input {
                request.place = Place::BetweenInputs;
                request.drafts = 0;
                // Steps on their way belong to the turn that is over.
                request.placeholders = 0;
                request.stale = request.in_flight;
                request.generation += 1;
                // What was computed beyond the end of the turn is not said.
                request.computed = request.computed.min(request.all_tokens() - 1);
                self.running.retain(|&running| running != place);
                processed.turns.push(place);
            } else if let Some(reason) = finish_reason {
                let status = if reason == "length" { "FINISHED_LENGTH_CAPPED" } else { "FINISHED_STOPPED" };
                self.free(place, status, reason, recorder);
                processed.ended.push(place);
            } else {
                request.drafts = self.config.speculation.map_or(0, |speculation| speculation.drafts);
                if request.spec.abort_after.is_some_and(|tokens| request.output_tokens >= tokens) {
                    processed.leaving.push(place);
                }
            }
        }
        processed
    }
}

/// Appends sampled tokens until one ends the request; how many were kept, and why it ended.
fn append(request: &mut Request, sampled: i64) -> (i64, Option<&'static str>) {
    for kept in 1..=sampled {
        request.output_tokens += 1;
        if request.spec.stop_after == Some(request.output_tokens) {
            return (kept, Some("stop"));
        }
        if request.output_tokens >= request.spec.max_tokens {
            return (kept, Some("length"));
        }
    }
    (sampled, None)
}
