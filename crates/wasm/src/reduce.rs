//! A log to canonical records: what `stepscope reduce` writes, to the byte.

use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
use stepscope_artifact::{Artifact, ImportOptions, RunName, standalone};
use stepscope_epoch_log::{Epoch, ReadOptions, SideFile, assemble};
use stepscope_reduce::{Options, Rules, run_request};
use wasm_bindgen::prelude::*;

use crate::parts::Parts;
use crate::value;

/// Takes the epochs of a log, one after the other, and reduces them together. Blocks are those of the page's
/// `SegmentParser`.
#[wasm_bindgen]
#[derive(Default)]
pub struct Reducer {
    epochs: Vec<Epoch>,
    open: Option<Parts>,
    server_stopped: bool,
}

#[wasm_bindgen]
impl Reducer {
    /// A reducer without epochs. `server_stopped`: the recorded server is known not to run any more.
    #[wasm_bindgen(constructor)]
    pub fn new(server_stopped: bool) -> Self {
        Self { server_stopped, ..Self::default() }
    }

    fn parts(&mut self) -> Result<&mut Parts, JsError> {
        self.open.as_mut().ok_or_else(|| JsError::new("no epoch is open: open one first"))
    }

    /// Begins with the next epoch of the manifest; the one before is complete.
    ///
    /// # Errors
    /// When it is no epoch of a manifest.
    #[wasm_bindgen(js_name = openEpoch)]
    pub fn open_epoch(&mut self, epoch: JsValue) -> Result<(), JsError> {
        self.complete();
        self.open = Some(Parts::of(epoch)?);
        Ok(())
    }

    /// Takes the block of a segment, in any order. The bytes stay where they are: they must not change before the next
    /// epoch is opened or the artifact is asked for.
    ///
    /// # Errors
    /// When no epoch is open, there is no such segment, or the bytes are no block.
    #[wasm_bindgen(js_name = addBlock)]
    pub fn add_block(&mut self, segment: u32, block: Uint8Array) -> Result<(), JsError> {
        self.parts()?.add_block(segment, block)
    }

    /// Notes that a segment could not be read, or not to its end, and why.
    ///
    /// # Errors
    /// When no epoch is open, or there is no such segment.
    #[wasm_bindgen(js_name = addUnreadable)]
    pub fn add_unreadable(&mut self, segment: u32, why: &str) -> Result<(), JsError> {
        self.parts()?.add_unreadable(segment, why)
    }

    /// Takes the bytes of `status.json`.
    ///
    /// # Errors
    /// When no epoch is open.
    #[wasm_bindgen(js_name = setStatus)]
    pub fn set_status(&mut self, bytes: &[u8]) -> Result<(), JsError> {
        self.parts()?.status = SideFile::Bytes(bytes.to_vec());
        Ok(())
    }

    /// Takes the bytes of `key`: pseudonyms are made with them, they themselves stand in no answer.
    ///
    /// # Errors
    /// When no epoch is open.
    #[wasm_bindgen(js_name = setKey)]
    pub fn set_key(&mut self, bytes: &[u8]) -> Result<(), JsError> {
        self.parts()?.key = SideFile::Bytes(bytes.to_vec());
        Ok(())
    }

    /// The artifact of the log alone, JSON lines: every step kept, every request another client's, its IDs as
    /// pseudonyms unless `raw_foreign_ids`. `corrected` chooses the rules that a person should be told, `notes` are those
    /// of the manifest.
    ///
    /// # Errors
    /// In words: there is no epoch, or its records contradict each other.
    pub fn standalone(
        &mut self,
        notes: Vec<String>,
        corrected: bool,
        raw_foreign_ids: bool,
    ) -> Result<Vec<u8>, JsError> {
        self.complete();
        let options = ImportOptions {
            reduce: Options {
                raw_foreign_ids,
                rules: if corrected { Rules::Corrected } else { Rules::Reference },
                source_version: env!("CARGO_PKG_VERSION").as_bytes().to_vec(),
            },
            server_stopped: self.server_stopped,
            directory: "hook",
            notes: &notes,
            process: None,
            ..ImportOptions::default()
        };
        let mut bytes = Vec::new();
        standalone(&self.epochs, &RunName::of(&self.epochs), &options, &mut |piece| {
            bytes.extend_from_slice(piece);
        })
        .map_err(|refusal| JsError::new(&refusal.to_string()))?;
        Ok(bytes)
    }

    fn complete(&mut self) {
        if let Some(parts) = self.open.take() {
            // The page cannot know the reading machine: nobody shares the writer's clock.
            let options = ReadOptions { server_stopped: self.server_stopped, ..ReadOptions::default() };
            self.epochs.push(assemble(parts.into_parts(), &options));
        }
    }
}

/// The IDs of an engine's requests, as `Session.requestIds` gives them.
#[derive(Deserialize)]
struct RequestIds {
    randomization: Option<bool>,
    internal: Vec<String>,
    external: Vec<Option<String>>,
}

/// A request of a run's client.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    request_id: String,
    case_id: Option<String>,
    phase: Option<String>,
}

/// Whose requests are whose: for each of `ids` (`Session.requestIds`) the request of the run that the artifact is of,
/// `{requestId, caseId, phase}`, or null when it is another client's.
///
/// # Errors
/// In words: the bytes are no artifact, or the IDs none of a session.
#[wasm_bindgen]
pub fn own(artifact: &[u8], ids: JsValue) -> Result<JsValue, JsError> {
    let ids: RequestIds = value::read(ids, "these are no IDs of requests")?;
    let artifact = Artifact::read(artifact, Rules::Corrected)
        .map_err(|refusal| JsError::new(&format!("this is no artifact that can be read: {refusal}")))?;
    let facts = artifact.facts(false);
    let text = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
    let find = |(internal, external): (&String, &Option<String>)| {
        let external = external.as_ref().map(String::as_bytes);
        let request =
            run_request(&facts, Rules::Corrected, internal.as_bytes(), external, ids.randomization)?;
        Some(Own {
            request_id: text(request.request_id),
            case_id: request.case_id.map(text),
            phase: request.phase.map(text),
        })
    };
    let found: Vec<Option<Own>> = ids.internal.iter().zip(&ids.external).map(find).collect();
    value::object(&found)
}
