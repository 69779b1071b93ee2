//! Rows as the writer emits them.

pub(crate) mod json;
pub(crate) mod rows;
