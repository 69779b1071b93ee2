//! Segments that were gzipped where they lay.

use std::collections::BTreeSet;
use std::io::Write;

use flate2::write::MultiGzDecoder;
use stepscope_epoch_log::manifest::segment_name;
use stepscope_epoch_log::source::{EntryKind, ReadFailure, Source};

/// Shows `000000.jsonl.gz` as the segment it holds, unless that lies beside it.
pub(crate) struct Gzipped<S>(pub(crate) S);

const SUFFIX: &str = ".gz";

impl<S: Source> Source for Gzipped<S> {
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String> {
        let mut entries = self.0.list(directory)?;
        let plain: BTreeSet<String> = entries.iter().map(|(name, _)| name.clone()).collect();
        for (name, kind) in &mut entries {
            if let Some(bare) = name.strip_suffix(SUFFIX)
                && *kind == EntryKind::File
                && segment_name(bare).is_some()
                && !plain.contains(bare)
            {
                *name = bare.to_owned();
            }
        }
        Ok(entries)
    }

    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure> {
        let gone = match self.0.read(path, take) {
            Err(ReadFailure::Gone(why)) => why,
            read => return read,
        };
        let mut unpacked = MultiGzDecoder::new(Taken(take));
        let mut fault = None;
        let read = self.0.read(&format!("{path}{SUFFIX}"), &mut |packed| {
            if fault.is_none() {
                fault = unpacked.write_all(packed).err();
            }
        });
        match read {
            Err(ReadFailure::Gone(_)) => return Err(ReadFailure::Gone(gone)),
            Err(failure) => return Err(failure),
            Ok(()) => {}
        }
        match fault.or_else(|| unpacked.try_finish().err()) {
            Some(fault) => Err(ReadFailure::Torn(format!("cannot be unpacked: {fault}"))),
            None => Ok(()),
        }
    }
}

/// Hands over what is written to it.
struct Taken<'a>(&'a mut dyn FnMut(&[u8]));

impl Write for Taken<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        (self.0)(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
