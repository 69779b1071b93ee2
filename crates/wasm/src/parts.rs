//! An epoch that is being read: its blocks and side files as they come, in any order.

use js_sys::Uint8Array;
use stepscope_epoch_log::manifest::EpochFiles;
use stepscope_epoch_log::{Block, EpochParts, Problem, SegmentBlock, SideFile};
use wasm_bindgen::prelude::*;

use crate::value;

/// What came of a segment: its block, and what kept it from being read to its end.
#[derive(Default)]
struct Place {
    block: Option<Block>,
    problems: Vec<Problem>,
}

/// The files of an epoch and what was read of them.
pub(crate) struct Parts {
    files: EpochFiles,
    segments: Vec<Place>,
    pub(crate) status: SideFile,
    pub(crate) key: SideFile,
}

impl Parts {
    /// Of an epoch of a manifest nothing was read yet.
    ///
    /// # Errors
    /// When it is no epoch of a manifest.
    pub(crate) fn of(epoch: JsValue) -> Result<Self, JsError> {
        let files: EpochFiles = value::read(epoch, "this is no epoch of a manifest")?;
        let segments = files.segments.iter().map(|_| Place::default()).collect();
        Ok(Self { files, segments, status: SideFile::Missing, key: SideFile::Missing })
    }

    fn place(&mut self, segment: u32) -> Result<&mut Place, JsError> {
        self.segments.get_mut(segment as usize).ok_or_else(|| {
            JsError::new(&format!("the epoch has no segment {segment}: its manifest lists fewer"))
        })
    }

    /// Takes the block of a segment. The bytes stay where they are until the epoch is put together.
    ///
    /// # Errors
    /// When there is no such segment, or the bytes are no block.
    pub(crate) fn add_block(&mut self, segment: u32, block: Uint8Array) -> Result<(), JsError> {
        let block = Block::stored(&block.to_vec(), move || block.to_vec()).map_err(|damaged| {
            JsError::new(&format!("{damaged}: reload the page and drop the files again"))
        })?;
        self.place(segment)?.block = Some(block);
        Ok(())
    }

    /// Notes that a segment could not be read, or not to its end, and why. Its block, if there is one, stays.
    ///
    /// # Errors
    /// When there is no such segment.
    pub(crate) fn add_unreadable(&mut self, segment: u32, why: &str) -> Result<(), JsError> {
        let name =
            self.files.segments.get(segment as usize).map(|file| file.name.clone()).unwrap_or_default();
        let place = self.place(segment)?;
        place.problems.push(match place.block {
            Some(_) => Problem::cut_short(&name, why),
            None => Problem::unreadable(&name, why),
        });
        Ok(())
    }

    /// Everything, to be put together.
    pub(crate) fn into_parts(self) -> EpochParts {
        let mut blocks = Vec::with_capacity(self.segments.len());
        for (Place { block, problems }, file) in self.segments.into_iter().zip(&self.files.segments) {
            let mut block = block.unwrap_or_else(|| {
                SegmentBlock { problems: Vec::new(), ..SegmentBlock::unreadable(&file.name, "") }.into()
            });
            block.note(problems);
            blocks.push(block);
        }
        let name = match self.files.epoch.is_empty() {
            // Loose segments: the first good line says whose they are.
            true => {
                let mut named = blocks.iter().map(Block::epoch);
                named.find(|name| !name.is_empty()).unwrap_or_default().to_owned()
            }
            false => self.files.epoch,
        };
        EpochParts {
            host_boot: self.files.host_boot,
            epoch: name,
            blocks,
            status: self.status,
            key: self.key,
            ..EpochParts::default()
        }
    }
}
