//! One file a command.

pub(crate) mod diagnose;
pub(crate) mod summary;
