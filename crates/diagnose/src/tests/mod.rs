//! The worked tables of the specification, and a plain implementation to compare with.

mod blocked;
mod cadence;
mod coverage;
mod difference;
mod hints;
mod log;
mod naive;
mod stalls;
mod steps;
mod verdict;
mod worst;
