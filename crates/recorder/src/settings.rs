//! The settings of the recording process (`raw-log.md` §9).

use std::path::PathBuf;

/// What the environment asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The hook directory.
    pub root: PathBuf,
    /// Whether workers mark ranges for the profiler.
    pub mark_ranges: bool,
    /// Age from which old epochs are removed, ns.
    pub retain_ns: i64,
    /// Record bytes per epoch.
    pub epoch_bytes: i64,
}

/// A value that is not a number. It disables recording for the process; the message is for standard error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is not a number: {value:?}; nothing is recorded")]
pub struct NotANumber {
    /// The variable.
    pub name: &'static str,
    /// What it holds.
    pub value: String,
}

const HOUR_NS: f64 = 3_600e9;

impl Settings {
    /// Reads the settings through `variable`, which gives an environment variable's value; `None` when no directory is
    /// set, so that nothing is recorded.
    ///
    /// # Errors
    ///
    /// When the retention or the cap is not a number. Neither is checked for its range.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, NotANumber> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let Some(root) = set("STORMLOG_VLLM_HOOK_DIR") else { return Ok(None) };
        let retain_ns = match set("STORMLOG_VLLM_HOOK_RETAIN_HOURS") {
            None => 24.0 * HOUR_NS,
            Some(value) => match value.trim().parse::<f64>() {
                Ok(hours) => hours * HOUR_NS,
                Err(_) => return Err(NotANumber { name: "STORMLOG_VLLM_HOOK_RETAIN_HOURS", value }),
            },
        };
        let epoch_bytes = match set("STORMLOG_VLLM_HOOK_MAX_BYTES") {
            None => crate::Limits::default().epoch_bytes,
            Some(value) => match value.trim().parse::<i128>() {
                Ok(bytes) => bytes.clamp(i64::MIN.into(), i64::MAX.into()) as i64,
                Err(_) => return Err(NotANumber { name: "STORMLOG_VLLM_HOOK_MAX_BYTES", value }),
            },
        };
        Ok(Some(Self {
            root: root.into(),
            mark_ranges: variable("STORMLOG_VLLM_HOOK_NVTX").as_deref() == Some("1"),
            // The cast saturates; a retention that is no number of hours at all keeps everything.
            retain_ns: if retain_ns.is_nan() { i64::MAX } else { retain_ns as i64 },
            epoch_bytes,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Option<Settings>, NotANumber> {
        Settings::read(|name| {
            let name = name.strip_prefix("STORMLOG_VLLM_HOOK_")?;
            pairs.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn an_unset_or_empty_directory_records_nothing() {
        assert_eq!(read(&[("MAX_BYTES", "x")]), Ok(None));
        assert_eq!(read(&[("DIR", "")]), Ok(None));
    }

    #[test]
    fn empty_values_are_the_defaults_and_no_range_is_checked() {
        let hour = 3_600_000_000_000;
        for (pairs, want) in [
            (
                &[("RETAIN_HOURS", ""), ("MAX_BYTES", ""), ("NVTX", "true")][..],
                (false, 24 * hour, 268_435_456),
            ),
            (&[("RETAIN_HOURS", "-0.5"), ("MAX_BYTES", "-1"), ("NVTX", "1")], (true, -hour / 2, -1)),
        ] {
            let settings =
                read(&[&[("DIR", "/hook")], pairs].concat()).expect("numbers").expect("a directory");
            assert_eq!((settings.mark_ranges, settings.retain_ns, settings.epoch_bytes), want);
        }
    }

    #[test]
    fn what_is_no_number_disables_recording() {
        for pair in [("RETAIN_HOURS", "a day"), ("MAX_BYTES", "1.5"), ("MAX_BYTES", "256MB")] {
            assert!(read(&[("DIR", "/hook"), pair]).is_err(), "{pair:?}");
        }
    }
}
