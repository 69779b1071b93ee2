//! Lists and tables: the epoch's line, the overview, stalls, steps, marks, problems, settings.

mod config;
mod cursor;
mod entry;
mod marks;
mod overview;
mod problems;
mod request_rows;
mod stall_rows;
mod step_detail;
mod step_rows;
