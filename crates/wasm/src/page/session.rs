//! The session: owns the epochs and answers questions about them (`SessionApi` of `web/src/session/answers.ts`).

use js_sys::Uint8Array;
use stepscope_epoch_log::{ReadOptions, SideFile, assemble};
use stepscope_timeline::answers::{Order, OwnRequest, RequestOrder, Track};
use stepscope_timeline::{LaneOrder, Timeline};
use wasm_bindgen::prelude::*;

use super::columns;
use crate::parts::Parts;
use crate::value;

/// An epoch of the session.
enum Slot {
    /// Blocks are still coming.
    Open(Box<Parts>),
    /// It can be asked.
    Ready(Box<Timeline>),
    /// The page has let go of it.
    Removed,
}

/// Owns the epochs that were dropped and answers questions about them. Epochs go by the number `openEpoch` gave.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    epochs: Vec<Slot>,
}

type Answer = Result<JsValue, JsError>;

impl Session {
    fn open(&mut self, epoch: u32) -> Result<&mut Parts, JsError> {
        match self.epochs.get_mut(epoch as usize) {
            Some(Slot::Open(open)) => Ok(open),
            Some(Slot::Ready(_)) => {
                Err(JsError::new(&format!("epoch {epoch} is complete: drop it again to read more")))
            }
            Some(Slot::Removed) | None => {
                Err(JsError::new(&format!("there is no epoch {epoch}: open it first")))
            }
        }
    }

    fn ready(&self, epoch: u32) -> Result<&Timeline, JsError> {
        match self.epochs.get(epoch as usize) {
            Some(Slot::Ready(timeline)) => Ok(timeline),
            Some(Slot::Open(_)) => {
                Err(JsError::new(&format!("epoch {epoch} is still being read: ask again later")))
            }
            Some(Slot::Removed) | None => {
                Err(JsError::new(&format!("there is no epoch {epoch}: open it first")))
            }
        }
    }
}

#[wasm_bindgen]
impl Session {
    /// A session without epochs.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for an epoch of the manifest; its number.
    ///
    /// # Errors
    /// When it is no epoch of a manifest.
    #[wasm_bindgen(js_name = openEpoch)]
    pub fn open_epoch(&mut self, epoch: JsValue) -> Result<u32, JsError> {
        self.epochs.push(Slot::Open(Box::new(Parts::of(epoch)?)));
        Ok((self.epochs.len() - 1) as u32)
    }

    /// Takes the block of a segment, in any order. The bytes stay where they are: they must not change before the
    /// epoch is complete, and are not needed after.
    ///
    /// # Errors
    /// When there is no such segment, or the bytes are no block.
    #[wasm_bindgen(js_name = addBlock)]
    pub fn add_block(&mut self, epoch: u32, segment: u32, block: Uint8Array) -> Result<(), JsError> {
        self.open(epoch)?.add_block(segment, block)
    }

    /// Notes that a segment could not be read, or not to its end, and why. Its block, if there is one, stays.
    ///
    /// # Errors
    /// When there is no such segment.
    #[wasm_bindgen(js_name = addUnreadable)]
    pub fn add_unreadable(&mut self, epoch: u32, segment: u32, why: &str) -> Result<(), JsError> {
        self.open(epoch)?.add_unreadable(segment, why)
    }

    /// Takes the bytes of `status.json`.
    ///
    /// # Errors
    /// When the epoch is not open.
    #[wasm_bindgen(js_name = setStatus)]
    pub fn set_status(&mut self, epoch: u32, bytes: &[u8]) -> Result<(), JsError> {
        self.open(epoch)?.status = SideFile::Bytes(bytes.to_vec());
        Ok(())
    }

    /// Takes the bytes of `key`; they never leave the session.
    ///
    /// # Errors
    /// When the epoch is not open.
    #[wasm_bindgen(js_name = setKey)]
    pub fn set_key(&mut self, epoch: u32, bytes: &[u8]) -> Result<(), JsError> {
        self.open(epoch)?.key = SideFile::Bytes(bytes.to_vec());
        Ok(())
    }

    /// Puts the blocks together, judges the loop and lays out the lanes: an `EpochEntry`.
    ///
    /// # Errors
    /// When the epoch is not open.
    pub fn complete(&mut self, epoch: u32) -> Answer {
        self.open(epoch)?;
        let Some(slot) = self.epochs.get_mut(epoch as usize) else {
            return Err(JsError::new("there is no such epoch"));
        };
        let Slot::Open(open) = std::mem::replace(slot, Slot::Removed) else {
            return Err(JsError::new("the epoch is not open"));
        };
        // The page cannot know the reading machine: nobody shares the writer's clock.
        let timeline = Timeline::new(assemble(open.into_parts(), &ReadOptions::default()));
        let entry = value::object(&timeline.entry(epoch))?;
        *slot = Slot::Ready(Box::new(timeline));
        Ok(entry)
    }

    /// Lets go of an epoch.
    #[wasm_bindgen(js_name = removeEpoch)]
    pub fn remove_epoch(&mut self, epoch: u32) {
        if let Some(slot) = self.epochs.get_mut(epoch as usize) {
            *slot = Slot::Removed;
        }
    }

    /// What is said of an epoch before any picture: an `Overview`.
    ///
    /// # Errors
    /// When the epoch is not complete, as of all questions below.
    pub fn overview(&self, epoch: u32) -> Answer {
        value::object(&self.ready(epoch)?.overview(epoch))
    }

    /// The tracks of a window: `Tracks`.
    ///
    /// # Errors
    /// See [`Session::overview`].
    pub fn tracks(&self, epoch: u32, t0: f64, t1: f64, width: u32) -> Answer {
        columns::tracks(&self.ready(epoch)?.tracks(t0, t1, width))
    }

    /// Requests in the lanes `first..last`, in the order `seats` or `arrival`: `Lanes`.
    ///
    /// # Errors
    /// See [`Session::overview`]; or the order is another.
    #[allow(clippy::too_many_arguments)]
    pub fn lanes(
        &self,
        epoch: u32,
        t0: f64,
        t1: f64,
        width: u32,
        first: u32,
        last: u32,
        order: &str,
    ) -> Answer {
        let order = match order {
            "seats" => LaneOrder::Seats,
            "arrival" => LaneOrder::Arrival,
            other => {
                return Err(JsError::new(&format!("lanes have no order {other}: ask for seats or arrival")));
            }
        };
        columns::lanes(&self.ready(epoch)?.lanes(t0, t1, width, first, last, order))
    }

    /// Lines of the table of steps, in the order `time` or `longest`: a list of `StepRow`.
    ///
    /// # Errors
    /// See [`Session::overview`]; or the order is another.
    #[wasm_bindgen(js_name = stepRows)]
    pub fn step_rows(&self, epoch: u32, order: &str, from: u32, count: u32) -> Answer {
        value::object(&self.ready(epoch)?.step_rows(step_order(order)?, from, count))
    }

    /// The line of a step in `stepRows` of an order.
    ///
    /// # Errors
    /// See [`Session::step_rows`].
    #[wasm_bindgen(js_name = rowOfStep)]
    pub fn row_of_step(&self, epoch: u32, order: &str, step: u32) -> Result<u32, JsError> {
        Ok(self.ready(epoch)?.row_of_step(step_order(order)?, step))
    }

    /// Lines of the table of requests that match a search, in the order `time`, `queue`, `firstToken`, `length`,
    /// `steps`, `tokens`, `preemptions` or `own`: a `RequestRows`.
    ///
    /// # Errors
    /// See [`Session::overview`]; or the order is another.
    #[wasm_bindgen(js_name = requestRows)]
    pub fn request_rows(&self, epoch: u32, order: &str, search: &str, from: u32, count: u32) -> Answer {
        let order = match order {
            "time" => RequestOrder::Time,
            "queue" => RequestOrder::Queue,
            "firstToken" => RequestOrder::FirstToken,
            "length" => RequestOrder::Length,
            "steps" => RequestOrder::Steps,
            "tokens" => RequestOrder::Tokens,
            "preemptions" => RequestOrder::Preemptions,
            "own" => RequestOrder::Own,
            other => return Err(JsError::new(&format!("requests have no order {other}"))),
        };
        value::object(&self.ready(epoch)?.request_rows(order, search, from, count))
    }

    /// The IDs by which a client can say which requests are its own: `RequestIds`.
    ///
    /// # Errors
    /// See [`Session::overview`].
    #[wasm_bindgen(js_name = requestIds)]
    pub fn request_ids(&self, epoch: u32) -> Answer {
        columns::request_ids(&self.ready(epoch)?.request_ids())
    }

    /// Says which requests are a client's own, in the order of `requestIds`: of each its ID at the client, its case and
    /// its phase, empty texts where there is none.
    ///
    /// # Errors
    /// See [`Session::overview`].
    #[wasm_bindgen(js_name = setOwn)]
    pub fn set_own(
        &mut self,
        epoch: u32,
        request_ids: Vec<String>,
        case_ids: Vec<String>,
        phases: Vec<String>,
    ) -> Result<(), JsError> {
        self.ready(epoch)?;
        let some = |text: String| (!text.is_empty()).then_some(text);
        let own = request_ids.into_iter().zip(case_ids).zip(phases).map(|((request_id, case), phase)| {
            Some(OwnRequest { request_id: some(request_id)?, case_id: some(case), phase: some(phase) })
        });
        if let Some(Slot::Ready(timeline)) = self.epochs.get_mut(epoch as usize) {
            timeline.set_own(own.collect());
        }
        Ok(())
    }

    /// A request explained: a `RequestDetail`.
    ///
    /// # Errors
    /// See [`Session::overview`]; or there is no such request.
    pub fn request(&self, epoch: u32, index: u32) -> Answer {
        let told = self.ready(epoch)?.request(index);
        value::object(&told.ok_or_else(|| JsError::new(&format!("epoch {epoch} has no request {index}")))?)
    }

    /// A stall of the overview's list explained: an `Explanation`.
    ///
    /// # Errors
    /// See [`Session::overview`]; or there is no such stall.
    #[wasm_bindgen(js_name = explainStall)]
    pub fn explain_stall(&self, epoch: u32, index: u32) -> Answer {
        let told = self.ready(epoch)?.explain_stall(index);
        value::object(&told.ok_or_else(|| JsError::new(&format!("epoch {epoch} lists no stall {index}")))?)
    }

    /// A step with its members: a `StepDetail`.
    ///
    /// # Errors
    /// See [`Session::overview`]; or there is no such step.
    pub fn step(&self, epoch: u32, index: u32) -> Answer {
        let told = self.ready(epoch)?.step(index);
        value::object(&told.ok_or_else(|| JsError::new(&format!("epoch {epoch} has no step {index}")))?)
    }

    /// What is under the cursor: a `CursorCard`.
    ///
    /// # Errors
    /// See [`Session::overview`].
    pub fn cursor(&self, epoch: u32, t: f64) -> Answer {
        value::object(&self.ready(epoch)?.cursor(t))
    }

    /// The nearest mark after a time, or before it when the direction is negative: a `Mark` or null.
    ///
    /// # Errors
    /// See [`Session::overview`].
    #[wasm_bindgen(js_name = nextMark)]
    pub fn next_mark(&self, epoch: u32, t: f64, direction: i32) -> Answer {
        value::object(&self.ready(epoch)?.next_mark(t, direction >= 0))
    }

    /// The table behind a canvas: `Marks`.
    ///
    /// # Errors
    /// See [`Session::overview`]; or there is no such track.
    pub fn marks(&self, epoch: u32, track: &str, t0: f64, t1: f64, from: u32, count: u32) -> Answer {
        let track = match track {
            "overview" => Track::Overview,
            "loop" => Track::Loop,
            "tokens" => Track::Tokens,
            "requests" => Track::Requests,
            "members" => Track::Members,
            "coverage" => Track::Coverage,
            other => return Err(JsError::new(&format!("there is no track {other}"))),
        };
        value::object(&self.ready(epoch)?.marks(track, t0, t1, from, count))
    }

    /// What was wrong with the files: a list of `ProblemRow`.
    ///
    /// # Errors
    /// See [`Session::overview`].
    pub fn problems(&self, epoch: u32, from: u32, count: u32) -> Answer {
        value::object(&self.ready(epoch)?.problems(from, count))
    }

    /// The engine's settings: a list of `ConfigRow`.
    ///
    /// # Errors
    /// See [`Session::overview`].
    pub fn config(&self, epoch: u32) -> Answer {
        value::object(&self.ready(epoch)?.config())
    }

    /// The epoch in a dozen lines of plain text.
    ///
    /// # Errors
    /// See [`Session::overview`].
    pub fn summary(&self, epoch: u32) -> Result<String, JsError> {
        Ok(self.ready(epoch)?.summary())
    }
}

fn step_order(order: &str) -> Result<Order, JsError> {
    match order {
        "time" => Ok(Order::Time),
        "longest" => Ok(Order::Longest),
        other => Err(JsError::new(&format!("steps have no order {other}: ask for time or longest"))),
    }
}
