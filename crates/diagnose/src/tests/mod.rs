//! The worked tables of the specification, and a plain implementation to compare with.

mod agreement;
mod blocked;
mod cadence;
mod coverage;
mod difference;
mod hints;
mod kept;
mod log;
mod plain;
mod stalls;
mod steps;
mod verdict;
mod worst;
