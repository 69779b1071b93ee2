//! What to draw for a range of time and a width.

mod bins;
mod lane_painter;
mod lanes;
mod tracks;

pub use bins::Bins;
pub use lanes::LaneOrder;
