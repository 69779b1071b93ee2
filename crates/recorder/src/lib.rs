//! The writing half of the execution log.
