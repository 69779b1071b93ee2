//! Lists and tables: the epoch's line, the overview, stalls, steps.

mod entry;
mod overview;
mod stall_rows;
mod step_rows;
