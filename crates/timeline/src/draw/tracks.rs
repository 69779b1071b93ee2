//! The tracks of a window. The work is bounded by the bins, not by what lies in them, and nothing is averaged: a bin
//! shows the greatest, the worst and every kind of mark it holds.

use stepscope_diagnose::Locus;

use super::bins::Bins;
use crate::answers::Tracks;
use crate::model::steps::flag;
use crate::model::{Place, Timeline};

/// Marks of steps among the bits of [`Tracks::marks`]: the numbers are the same.
const STEP_MARKS: u8 = flag::PREEMPTED | flag::FAILED | flag::NO_OUTCOME;
const CACHE_RESET: u8 = 2;
const PAUSE_CHANGE: u8 = 4;

/// So many steps can be in flight at once and still be seen at the start of a bin.
const IN_FLIGHT: usize = 8;

impl Timeline {
    /// The tracks from `t0` to `t1`, drawn `width` pixels wide.
    pub fn tracks(&self, t0: f64, t1: f64, width: u32) -> Tracks {
        let bins = Bins::of(t0, t1, width);
        let mut tracks = Tracks {
            t0: bins.start as f64,
            bin_ns: bins.width as f64,
            bins: bins.count as u32,
            stall: vec![0; bins.count],
            marks: vec![0; bins.count],
            ..Tracks::default()
        };
        self.shares_in(bins, &mut tracks);
        self.steps_in(bins, &mut tracks);
        self.occupancy_in(bins, &mut tracks);
        self.stalls_in(bins, &mut tracks);
        self.moments_in(bins, &mut tracks);
        tracks.coverage = self.known.worst_of_bins(bins);
        tracks
    }

    fn shares_in(&self, bins: Bins, tracks: &mut Tracks) {
        let whole = bins.width as f32;
        let mut place = Place::default();
        let mut before = self.loop_until(bins.start, &mut place);
        for bin in 1..=bins.count {
            let until = self.loop_until(bins.edge(bin), &mut place);
            let shares = until - before;
            before = until;
            tracks.in_schedule.push(shares.in_schedule as f32 / whole);
            tracks.within_step.push(shares.within_step as f32 / whole);
            tracks.between.push(shares.between as f32 / whole);
            tracks.paused.push(shares.paused as f32 / whole);
            tracks.idle.push(shares.idle as f32 / whole);
        }
    }

    fn steps_in(&self, bins: Bins, tracks: &mut Tracks) {
        let steps = &self.steps;
        let mut start = steps.started_until(bins.start - 1, 0);
        for bin in 0..bins.count {
            let edge = bins.edge(bin);
            let end = steps.started_until(bins.edge(bin + 1) - 1, start);
            tracks.steps.push((end - start) as u32);
            let longest = steps.longest(&self.epoch, self.clock, start, end);
            tracks.step_time.push(longest.unwrap_or(0) as f32);
            let in_flight =
                (start.saturating_sub(IN_FLIGHT)..start).filter(|&step| self.flies_until(step) > edge);
            let largest = steps.largest(start, end).into_iter().chain(in_flight);
            let tokens = largest.map(|step| steps.tokens(step)).max_by_key(|tokens| tokens.total());
            let tokens = tokens.unwrap_or_default();
            tracks.prefill.push(tokens.prefill as f32);
            tracks.decode.push(tokens.decode as f32);
            tracks.recompute.push(tokens.recompute as f32);
            tracks.marks[bin] |= steps.flags_of(start, end) & STEP_MARKS;
            start = end;
        }
    }

    fn occupancy_in(&self, bins: Bins, tracks: &mut Tracks) {
        let occupancy = &self.occupancy;
        let mut start = occupancy.changes_until(bins.start, 0);
        for bin in 0..bins.count {
            let end = occupancy.changes_until(bins.edge(bin + 1) - 1, start);
            let (live, waiting) = match bins.edge(bin) > self.clock.end() {
                true => (0, 0),
                false => occupancy.most(start, end),
            };
            tracks.live.push(live as f32);
            tracks.waiting.push(if occupancy.waiting_recorded { waiting as f32 } else { f32::NAN });
            start = end;
        }
    }

    /// The longest over its limit wins a bin; warm-up gives way to every other.
    fn stalls_in(&self, bins: Bins, tracks: &mut Tracks) {
        let mut longest = vec![i64::MIN; bins.count];
        for stall in self.stalls.touching(bins.start, bins.end()) {
            let Some((first, last)) = bins.touched(stall.t0, stall.t1) else { continue };
            let Some(judged) = stall.judged() else { continue };
            let (code, rank) = match (judged.warm_up, judged.stall.locus) {
                (true, _) => (4, stall.duration.max(0) - i64::MAX),
                (false, Locus::BetweenSteps) => (1, stall.duration),
                (false, Locus::InSchedule) => (2, stall.duration),
                (false, Locus::WithinStep) => (3, stall.duration),
            };
            for (longest, shown) in longest[first..=last].iter_mut().zip(&mut tracks.stall[first..=last]) {
                if rank > *longest {
                    (*longest, *shown) = (rank, code);
                }
            }
        }
    }

    fn moments_in(&self, bins: Bins, tracks: &mut Tracks) {
        for (times, bit) in [(&self.reset_times, CACHE_RESET), (&self.pause_changes, PAUSE_CHANGE)] {
            let first = times.partition_point(|&t| t < bins.start);
            for &t in times[first..].iter().take_while(|&&t| t < bins.end()) {
                tracks.marks[bins.bin(t)] |= bit;
            }
        }
    }
}
