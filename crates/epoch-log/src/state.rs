//! Whether the writer of an epoch still runs (`reading.md` §13).

/// Who reads, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Importer {
    /// The reading machine's hostname.
    pub host: String,
    /// Its boot identifier; `None` when it is not known, as in a browser.
    pub boot_id: Option<String>,
    /// Its monotonic clock, ns.
    pub monotonic_ns: i64,
}

/// What a caller knows beside the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Who reads.
    pub importer: Importer,
    /// The recorded server is known not to run any more.
    pub server_stopped: bool,
    /// The highest `seq` an earlier import took of this epoch.
    pub mark: Option<i64>,
}

/// State and reason (`reading.md` A-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// `ended`, `goodbye`.
    Goodbye,
    /// `gone`, `server_stopped`.
    ServerStopped,
    /// `unknown`, `other_host`.
    OtherHost,
    /// `unknown`, `importer_boot_unknown`.
    ImporterBootUnknown,
    /// `gone`, `no_heartbeat`.
    NoHeartbeat,
    /// `gone`, `silence`.
    Silence,
    /// `alive`, `heartbeat`.
    Heartbeat,
}

/// A writer silent for so long is gone, ns (`reading.md` A-2 row 6).
pub const SILENCE_NS: i64 = 30_000_000_000;

impl State {
    /// `ended`, `gone`, `unknown` or `alive`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goodbye => "ended",
            Self::ServerStopped | Self::NoHeartbeat | Self::Silence => "gone",
            Self::OtherHost | Self::ImporterBootUnknown => "unknown",
            Self::Heartbeat => "alive",
        }
    }

    /// Why.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Goodbye => "goodbye",
            Self::ServerStopped => "server_stopped",
            Self::OtherHost => "other_host",
            Self::ImporterBootUnknown => "importer_boot_unknown",
            Self::NoHeartbeat => "no_heartbeat",
            Self::Silence => "silence",
            Self::Heartbeat => "heartbeat",
        }
    }

    /// Nothing more will come (`reading.md` A-6).
    pub fn is_over(self) -> bool {
        matches!(self.name(), "ended" | "gone")
    }
}

pub(crate) struct Evidence<'a> {
    pub(crate) goodbye: bool,
    pub(crate) host: &'a str,
    pub(crate) boot_id: Option<&'a str>,
    pub(crate) last_seen_mono_ns: Option<i64>,
}

pub(crate) fn judge(evidence: &Evidence<'_>, options: &ReadOptions) -> State {
    let importer = &options.importer;
    let shared = evidence.boot_id.is_some()
        && importer.boot_id.as_deref() == evidence.boot_id
        && importer.host == evidence.host;
    if evidence.goodbye {
        State::Goodbye
    } else if options.server_stopped {
        State::ServerStopped
    } else if !shared {
        if importer.boot_id.is_some() { State::OtherHost } else { State::ImporterBootUnknown }
    } else {
        match evidence.last_seen_mono_ns {
            None => State::NoHeartbeat,
            Some(seen) if importer.monotonic_ns.saturating_sub(seen) >= SILENCE_NS => State::Silence,
            Some(_) => State::Heartbeat,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table under `reading.md` A-6.
    #[test]
    fn states_of_the_specification() {
        let second = 1_000_000_000;
        let judge = |goodbye, host, boot_id, seen: Option<i64>, server_stopped| {
            let options = ReadOptions {
                importer: Importer {
                    host: "A".into(),
                    boot_id: Some("X".into()),
                    monotonic_ns: 1000 * second,
                },
                server_stopped,
                mark: None,
            };
            let state = super::judge(&Evidence { goodbye, host, boot_id, last_seen_mono_ns: seen }, &options);
            (state.name(), state.reason())
        };
        assert_eq!(judge(false, "A", Some("X"), Some(970 * second + 1), false), ("alive", "heartbeat"));
        assert_eq!(judge(false, "A", Some("X"), Some(970 * second), false), ("gone", "silence"));
        assert_eq!(judge(false, "A", Some("X"), None, false), ("gone", "no_heartbeat"));
        assert_eq!(judge(false, "A", Some("Y"), Some(second), false), ("unknown", "other_host"));
        assert_eq!(judge(false, "A", None, Some(1000 * second), false), ("unknown", "other_host"));
        assert_eq!(judge(false, "A", Some("X"), Some(1000 * second), true), ("gone", "server_stopped"));
        assert_eq!(judge(true, "Z", Some("Q"), None, true), ("ended", "goodbye"));
        let nobody = ReadOptions::default();
        let evidence = Evidence { goodbye: false, host: "A", boot_id: None, last_seen_mono_ns: None };
        assert_eq!(super::judge(&evidence, &nobody).reason(), "importer_boot_unknown");
    }
}
