//! The tables of `reduce.md`, each rule of §15 and each correction, by example; and properties on random logs.

mod bad_values;
mod binding;
mod corrections;
mod executions;
mod fields;
mod finishes;
mod growing;
pub(crate) mod log;
mod mark;
mod naive;
mod records;
mod stages;
mod steps;
