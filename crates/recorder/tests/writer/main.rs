//! The epoch writer, rule by rule, in a time of its own and on files that fail when told to.

mod crash;
mod failures;
mod isolation;
mod lines;
mod queue;
mod sealing;
mod startup;
mod support;
