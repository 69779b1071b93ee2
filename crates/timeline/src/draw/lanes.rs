//! Requests in lanes, in one of two orders.

use super::bins::Bins;
use super::lane_painter::Painter;
use crate::answers::Lanes;
use crate::model::Timeline;

/// In which order requests stand below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOrder {
    /// Packed: a request takes the first lane that is free.
    Seats,
    /// One lane a request, by arrival.
    Arrival,
}

impl Timeline {
    /// The lanes `first..last` from `t0` to `t1`, drawn `width` pixels wide.
    pub fn lanes(&self, t0: f64, t1: f64, width: u32, first: u32, last: u32, order: LaneOrder) -> Lanes {
        let bins = Bins::of(t0, t1, width);
        let mut out = Lanes {
            t0: bins.start as f64,
            bin_ns: bins.width as f64,
            bins: bins.count as u32,
            ..Lanes::default()
        };
        let there = match order {
            LaneOrder::Seats => self.executions.lanes(),
            LaneOrder::Arrival => self.executions.len(),
        };
        for lane in first as usize..(last as usize).min(there) {
            let alone = [lane as u32];
            let stays = match order {
                LaneOrder::Seats => self.executions.in_lane(lane),
                LaneOrder::Arrival => &alone,
            };
            Painter::new(self, bins, lane as u32, &mut out).lane(stays);
        }
        out
    }
}
