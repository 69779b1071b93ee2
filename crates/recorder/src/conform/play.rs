//! Drives a recorder through a history.

use super::history::{Case, Event, Live, Model, NamedValue, Output, Returned};
use super::{ById, ConformError};
use crate::EngineRecorder;
use crate::engine::{
    FreedRequest, KnownEntry, LiveRequest, ModelOutput, Named, NewEntry, RequestOutput, Scheduler,
    StepIdentity, StepOutput, UpdateResult,
};

/// What a scheduler shows at one moment.
#[derive(Default)]
struct Shown<'a> {
    live: Option<&'a ById<Live>>,
    pause_state: Option<&'a NamedValue>,
    /// After a processing only the ids are told.
    live_ids: &'a [String],
    sampled_per_step: Option<i64>,
}

impl Scheduler for Shown<'_> {
    fn live(&self, id: &str) -> Option<LiveRequest> {
        if self.live_ids.iter().any(|live| live == id) {
            return Some(LiveRequest::default());
        }
        self.live?.get(id).map(|live| LiveRequest {
            prompt_tokens: live.prompt_tokens,
            output_tokens: live.output_tokens,
            finished: live.finished,
            stale_outputs: live.stale_outputs,
            drop_stale: live.drop_stale.unwrap_or(false),
            resumable: live.resumable,
        })
    }

    fn pause_state(&self) -> Option<Named<'_>> {
        self.pause_state.map(NamedValue::as_named)
    }

    fn sampled_per_step(&self) -> i64 {
        self.sampled_per_step.unwrap_or(1)
    }
}

/// An output, with the slot that the recorder writes into.
struct PlayedOutput<'a> {
    output: Option<&'a Output>,
    scheduled: &'a [(String, i64)],
    identity: Option<(String, String)>,
}

impl StepOutput for PlayedOutput<'_> {
    fn total_tokens(&self) -> i64 {
        self.output.map_or(0, |output| output.total)
    }

    fn scheduled(&self) -> impl Iterator<Item = (&str, i64)> {
        self.scheduled.iter().map(|(id, tokens)| (id.as_str(), *tokens))
    }

    fn scheduled_tokens(&self, id: &str) -> i64 {
        self.scheduled().find(|(scheduled, _)| *scheduled == id).map_or(0, |(_, tokens)| tokens)
    }

    fn new_entries(&self) -> impl Iterator<Item = NewEntry<'_>> {
        self.output.into_iter().flat_map(|output| &output.new).map(|(id, prompt_tokens, computed_tokens)| {
            NewEntry { id, prompt_tokens: *prompt_tokens, computed_tokens: *computed_tokens }
        })
    }

    fn known_entries(&self) -> impl Iterator<Item = KnownEntry<'_>> {
        self.output.into_iter().flat_map(|output| {
            output.known.iter().map(|(id, computed_tokens)| KnownEntry {
                id,
                computed_tokens: *computed_tokens,
                in_context: output.context.as_ref().and_then(|context| context.get(id).copied()),
            })
        })
    }

    fn draft_tokens(&self, id: &str) -> i64 {
        let drafts = self.output.into_iter().flat_map(|output| &output.drafts);
        drafts.rev().find(|(drafted, _)| drafted == id).and_then(|(_, tokens)| *tokens).unwrap_or(0)
    }

    fn preempted(&self) -> impl Iterator<Item = &str> {
        self.output.and_then(|output| output.preempted.as_ref()).into_iter().flatten().map(String::as_str)
    }

    fn identity(&self) -> Option<StepIdentity<'_>> {
        self.identity.as_ref().map(|(producer, iteration)| StepIdentity { producer, iteration })
    }

    fn set_identity(&mut self, identity: StepIdentity<'_>) {
        self.identity = Some((identity.producer.to_owned(), identity.iteration.to_owned()));
    }
}

impl ModelOutput for Model {
    fn row(&self, id: &str) -> Option<usize> {
        self.row_of.get(id).copied()
    }

    fn sampled_in_row(&self, row: usize) -> Option<usize> {
        self.rows.get(row).copied()
    }
}

impl NamedValue {
    fn as_named(&self) -> Named<'_> {
        match self {
            Self::Text(text) => Named::text(text),
            Self::Named { name, text } => Named { name: name.as_deref(), text },
        }
    }
}

pub(super) fn play(case: &Case, recorder: &mut EngineRecorder) -> Result<(), ConformError> {
    let mut outputs: Vec<PlayedOutput<'_>> = Vec::new();
    let mut foreign = PlayedOutput { output: None, scheduled: &[], identity: None };
    for (place, event) in case.events.iter().enumerate() {
        match event {
            Event::Admit { request } => {
                recorder.admissions().admit(&request.id, request.external.as_deref());
            }
            Event::Enqueue { live, request, raised } => {
                let hand_over = recorder.before_hand_over(Some(*live));
                if !raised {
                    hand_over.returned(&request.id, request.structured_output, request.resumable);
                }
            }
            Event::Schedule { raised: true, .. } | Event::Schedule { output: None, .. } => {}
            Event::Schedule { output: Some(output), live, pause_state, .. } => {
                let start = recorder.stamp();
                let mut played =
                    PlayedOutput { output: Some(output), scheduled: &output.scheduled, identity: None };
                let shown = Shown { live: Some(live), pause_state: pause_state.as_ref(), ..Shown::default() };
                recorder.scheduled(start, &mut played, &shown);
                outputs.push(played);
            }
            Event::BeforeUpdate { step, scheduled, identity, live, model } => {
                if step.is_none() {
                    foreign = PlayedOutput { output: None, scheduled, identity: identity.clone() };
                }
                let output = named(&outputs, &foreign, *step, place)?;
                let shown = Shown { live: Some(live), ..Shown::default() };
                match model {
                    Some(model) => recorder.before_update(output, model, &shown),
                    None => recorder.before_update(output, &(), &shown),
                }
            }
            Event::Update { step, raised, result, live, sampled_per_step } => {
                let shown = Shown { live_ids: live, sampled_per_step: *sampled_per_step, ..Shown::default() };
                let output = named(&outputs, &foreign, *step, place)?;
                recorder.updated(output, result.as_update(*raised), &shown);
            }
            Event::Free { request } => recorder.freeing(&FreedRequest {
                id: &request.id,
                output_tokens: request.output_tokens,
                status: request.status.as_ref().map(NamedValue::as_named),
                finish_reason: request.finish_reason.as_deref(),
            }),
            Event::Pause { raised: true, .. } => {}
            Event::Pause { before, asked, .. } => recorder
                .paused(before.as_ref().map(NamedValue::as_named), asked.as_ref().map(NamedValue::as_named)),
            Event::CacheReset { reset_running_requests, reset_connector, running, returned, raised } => {
                let reset = recorder.before_cache_reset(
                    reset_running_requests.unwrap_or(false),
                    reset_connector.unwrap_or(false),
                    running.iter().map(String::as_str),
                );
                // A reset that returned nothing counts as one that did not succeed.
                let returned = (!raised).then(|| returned.unwrap_or(false));
                recorder.cache_reset(reset, returned);
            }
        }
    }
    Ok(())
}

/// The output that an update event names; without a step, the one that no scheduler call of this history made.
fn named<'o, 'a>(
    outputs: &'o [PlayedOutput<'a>],
    foreign: &'o PlayedOutput<'a>,
    step: Option<usize>,
    event: usize,
) -> Result<&'o PlayedOutput<'a>, ConformError> {
    let Some(step) = step else { return Ok(foreign) };
    outputs.get(step).ok_or(ConformError::NoSuchStep { event, step })
}

impl Returned {
    fn as_update(&self, raised: bool) -> UpdateResult<Box<dyn Iterator<Item = RequestOutput<'_>> + '_>> {
        match self {
            _ if raised => UpdateResult::Failed,
            Self::Nothing | Self::Unrecognized(_) => UpdateResult::Unrecognized,
            Self::Clients(clients) => {
                let outputs = clients.iter().flatten().flatten();
                UpdateResult::Returned(Box::new(outputs.map(|(id, new_tokens, finish_reason)| {
                    RequestOutput {
                        id,
                        new_tokens: new_tokens.unwrap_or(0),
                        finish_reason: finish_reason.as_deref(),
                    }
                })))
            }
        }
    }
}
