//! What is said in sentences: whether the log can be trusted, what happened, how it ends, why a stall and a step were
//! as they were.

mod ending;
mod request;
mod stall;
mod step;
mod summary;
mod trust;
mod verdict;
pub mod words;

pub use ending::Ending;
pub(crate) use trust::refused_in_words;
pub(crate) use verdict::place;
pub(crate) use words::{bare, short_name};
