//! The bounds of a writer (`record.md` §11.1).

use std::time::Duration;

/// The bounds of a writer. [`Default`] gives the ones that logs are written with; only the cap is meant to be set by
/// users, the others are fields for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Record bytes per epoch; 0 or less caps at the first record.
    pub epoch_bytes: i64,
    /// Size from which a segment is sealed, bytes.
    pub segment_bytes: u64,
    /// Age from which a segment is sealed, ns.
    pub segment_age_ns: i64,
    /// Time between heartbeats, ns.
    pub heartbeat_ns: i64,
    /// Records in the queue.
    pub queue_records: usize,
    /// Bytes of own fields queued or being written.
    pub queue_bytes: usize,
    /// Bytes of one record's own fields.
    pub record_bytes: usize,
    /// Records taken at a time.
    pub batch: usize,
    /// How long a close waits for the writing thread.
    pub close_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            epoch_bytes: 256 << 20,
            segment_bytes: 8 << 20,
            segment_age_ns: 60_000_000_000,
            heartbeat_ns: 1_000_000_000,
            queue_records: 20_000,
            queue_bytes: 32 << 20,
            record_bytes: 4 << 20,
            batch: 256,
            close_wait: Duration::from_secs(2),
        }
    }
}
