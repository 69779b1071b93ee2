//! Where a log comes from: a folder on disk, or an archive that is unpacked in memory.

mod archive;
mod counted;
mod disk;
mod gzipped;
mod open;

pub(crate) use counted::Counted;
pub(crate) use disk::Disk;
pub(crate) use open::{Opened, open};
