//! One file a command.

pub(crate) mod conform;
pub(crate) mod diagnose;
pub(crate) mod kept;
pub(crate) mod reduce;
pub(crate) mod simulate;
pub(crate) mod summary;
pub(crate) mod tables;
