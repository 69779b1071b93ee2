//! Thresholds of the loop rules and the checks on overrides (`diagnose.md` §12).

/// Name of the table of thresholds.
pub const THRESHOLDS_VERSION: &str = "diagnosis_thresholds_v1";

/// Every key of the table with its default; the loop rules use those that begin with [`LOOP_PREFIX`], the others
/// only count as known.
pub const THRESHOLD_DEFAULTS: [(&str, f64); 27] = [
    ("host_stall.stall_factor", 10.0),
    ("host_stall.stall_floor_ns", 50e6),
    ("host_stall.no_baseline_floor_ns", 500e6),
    ("host_stall.baseline_window_ns", 30e9),
    ("host_stall.min_busy_steps", 20.0),
    ("host_stall.matched_bin_min_steps", 20.0),
    ("host_stall.heartbeat_grace_ns", 3e9),
    ("queue_saturation.median_waiting_requests", 1.0),
    ("queue_saturation.witness_request_share", 0.5),
    ("queue_saturation.ttft_excess_share", 0.5),
    ("queue_saturation.stall_excess_share", 0.5),
    ("queue_saturation.front_excess_share", 0.25),
    ("queue_saturation.kv_hold_share", 0.5),
    ("queue_saturation.competitor_floor_share", 0.1),
    ("kv_preemption_pressure.preemptions", 1.0),
    ("prefix_cache_loss.hit_ratio_drop", 0.2),
    ("prefix_cache_loss.min_queried_tokens", 2048.0),
    ("prefix_cache_loss.working_set_ratio", 1.1),
    ("load_increase.arrival_rate_ratio", 1.25),
    ("workload.length_ratio", 1.1),
    ("prefix_sharing_drop.share_drop", 0.1),
    ("selection.window_seconds", 1.0),
    ("selection.span_cap_seconds", 30.0),
    ("selection.min_requests", 20.0),
    ("selection.reference_min_requests", 114.0),
    ("selection.alpha", 0.01),
    ("selection.min_above", 3.0),
];

/// Prefix of the keys that the loop rules use.
pub const LOOP_PREFIX: &str = "host_stall.";

/// Thresholds of the loop rules, as doubles.
#[derive(Clone, Debug, PartialEq)]
pub struct Thresholds {
    /// A stall is over its limit from so many times the baseline on.
    pub stall_factor: f64,
    /// The least limit with a baseline, ns.
    pub stall_floor_ns: f64,
    /// The limit without a baseline, ns.
    pub no_baseline_floor_ns: f64,
    /// How far back the baseline looks, ns.
    pub baseline_window_ns: f64,
    /// So many steps of the stall's bucket or larger make an unmatched baseline.
    pub min_busy_steps: f64,
    /// So many steps of the stall's own bucket make a matched baseline.
    pub matched_bin_min_steps: f64,
    /// How old the last heartbeat may be for a stall still going on, ns.
    pub heartbeat_grace_ns: f64,
    /// Whether a key of the loop rules was overridden, be it with its default.
    pub overridden: bool,
}

impl Default for Thresholds {
    fn default() -> Self {
        let mut thresholds = Self {
            stall_factor: 0.0,
            stall_floor_ns: 0.0,
            no_baseline_floor_ns: 0.0,
            baseline_window_ns: 0.0,
            min_busy_steps: 0.0,
            matched_bin_min_steps: 0.0,
            heartbeat_grace_ns: 0.0,
            overridden: false,
        };
        for (key, value) in THRESHOLD_DEFAULTS {
            thresholds.set(key, value);
        }
        thresholds
    }
}

/// Why overrides are refused; the text is the reference's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThresholdError {
    /// Keys that the table does not have, ascending.
    #[error("unknown threshold keys: {}", .0.join(", "))]
    UnknownKeys(Vec<String>),
    /// A value that is NaN or infinite; also one that is no number at all, which the caller passes as NaN.
    #[error("threshold overrides must be finite numbers")]
    NotFinite,
    /// Keys of the loop rules whose value is zero or less, ascending.
    #[error("loop thresholds must be positive: {}", .0.join(", "))]
    NotPositive(Vec<String>),
}

impl Thresholds {
    /// The defaults with some keys of the table replaced; of a key given twice the last value counts.
    ///
    /// # Errors
    /// The first failing check of `diagnose.md` §12.
    pub fn with_overrides(overrides: &[(String, f64)]) -> Result<Self, ThresholdError> {
        let values: std::collections::BTreeMap<&str, f64> =
            overrides.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        let keys_where = |holds: &dyn Fn(&str, f64) -> bool| -> Vec<String> {
            values
                .iter()
                .filter(|(key, value)| holds(key, **value))
                .map(|(key, _)| (*key).to_owned())
                .collect()
        };
        let unknown = keys_where(&|key, _| THRESHOLD_DEFAULTS.iter().all(|(known, _)| *known != key));
        if !unknown.is_empty() {
            return Err(ThresholdError::UnknownKeys(unknown));
        }
        if values.values().any(|value| !value.is_finite()) {
            return Err(ThresholdError::NotFinite);
        }
        let not_positive = keys_where(&|key, value| key.starts_with(LOOP_PREFIX) && value <= 0.0);
        if !not_positive.is_empty() {
            return Err(ThresholdError::NotPositive(not_positive));
        }
        let mut thresholds = Self::default();
        for (key, value) in values {
            thresholds.overridden |= thresholds.set(key, value);
        }
        Ok(thresholds)
    }

    /// Sets a key of the loop rules; `false` for other keys.
    fn set(&mut self, key: &str, value: f64) -> bool {
        let place = match key.strip_prefix(LOOP_PREFIX) {
            Some("stall_factor") => &mut self.stall_factor,
            Some("stall_floor_ns") => &mut self.stall_floor_ns,
            Some("no_baseline_floor_ns") => &mut self.no_baseline_floor_ns,
            Some("baseline_window_ns") => &mut self.baseline_window_ns,
            Some("min_busy_steps") => &mut self.min_busy_steps,
            Some("matched_bin_min_steps") => &mut self.matched_bin_min_steps,
            Some("heartbeat_grace_ns") => &mut self.heartbeat_grace_ns,
            _ => return false,
        };
        *place = value;
        true
    }

    /// No shorter stall can be over its limit (J1), ns.
    pub(crate) fn lowest_ns(&self) -> f64 {
        self.stall_floor_ns.min(self.no_baseline_floor_ns)
    }

    /// The window cut to an integer (D2), ns.
    pub(crate) fn window_ns(&self) -> i64 {
        self.baseline_window_ns as i64
    }
}

/// 2⁶³, the first float beyond all `i64`.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// Whether a duration reaches a limit, compared exactly as Python compares an integer and a float.
pub(crate) fn reaches(duration_ns: i64, limit_ns: f64) -> bool {
    limit_ns < BEYOND && (limit_ns < -BEYOND || duration_ns >= limit_ns.ceil() as i64)
}

/// Whether a duration is longer than a limit, compared as in [`reaches`].
pub(crate) fn exceeds(duration_ns: i64, limit_ns: f64) -> bool {
    limit_ns < BEYOND && (limit_ns < -BEYOND || duration_ns > limit_ns.floor() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(overrides: &[(&str, f64)]) -> String {
        let overrides: Vec<_> = overrides.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect();
        Thresholds::with_overrides(&overrides).expect_err("should be refused").to_string()
    }

    #[test]
    fn checks_come_in_order_with_their_texts() {
        assert_eq!(errors(&[("x", 1.0)]), "unknown threshold keys: x");
        assert_eq!(errors(&[("b", f64::NAN), ("a", 1.0)]), "unknown threshold keys: a, b");
        let not_finite = "threshold overrides must be finite numbers";
        assert_eq!(errors(&[("host_stall.stall_factor", f64::INFINITY)]), not_finite);
        assert_eq!(errors(&[("selection.alpha", f64::NAN), ("host_stall.stall_factor", 0.0)]), not_finite);
        assert_eq!(
            errors(&[("host_stall.stall_factor", -1.0), ("host_stall.min_busy_steps", 0.0)]),
            "loop thresholds must be positive: host_stall.min_busy_steps, host_stall.stall_factor"
        );
    }

    #[test]
    fn other_keys_are_known_but_not_ranged_and_override_nothing() {
        let given = [("queue_saturation.kv_hold_share".to_owned(), -5.0)];
        assert_eq!(Thresholds::with_overrides(&given), Ok(Thresholds::default()));
    }

    #[test]
    fn a_default_given_is_an_override() {
        let given = [("host_stall.stall_factor".to_owned(), 10.0)];
        let thresholds = Thresholds::with_overrides(&given).expect("allowed");
        assert_eq!(thresholds, Thresholds { overridden: true, ..Thresholds::default() });
        assert_eq!(thresholds.lowest_ns(), 50e6);
    }

    #[test]
    fn durations_and_limits_compare_exactly() {
        assert!(reaches(50_000_000, 50e6));
        assert!(!reaches(49_999_999, 49_999_999.5));
        assert!(reaches(50_000_000, 49_999_999.5));
        // 2⁵³ + 1 is not a float: rounding it would reach 2⁵³ + 2.
        assert!(!reaches((1 << 53) + 1, ((1_i64 << 53) + 2) as f64));
        assert!(!reaches(i64::MAX, 9_223_372_036_854_775_808.0));
        assert!(!reaches(i64::MAX, f64::INFINITY));
        assert!(!exceeds(3_000_000_000, 3e9));
        assert!(exceeds(3_000_000_001, 3e9));
        assert!(exceeds(3_000_000_000, 2_999_999_999.5));
        assert!(!exceeds(2_999_999_999, 2_999_999_999.5));
    }
}
