//! Who is recording: host, boot, process and key bytes, injected like the clocks.

use std::io;

/// Facts of the recording process and its host.
pub trait Process: Send + Sync {
    /// This process's id. Asked anew each time: after a fork it differs from the writer's.
    fn pid(&self) -> u32;
    /// The hostname as the system reports it (`raw-log.md` L1).
    fn host(&self) -> String;
    /// The boot identifier, `None` when it cannot be read or is empty (L2).
    fn boot_id(&self) -> Option<String>;
    /// 32 random bytes for the epoch's key (`raw-log.md` §7.2).
    fn key(&self) -> io::Result<[u8; 32]>;
}

/// When the process and its parent began (`raw-log.md` H2–H4). Ticks are clock ticks after boot, exact; ns are wall.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessStart {
    /// Wall ns, by [`process_start_ns`].
    pub start_ns: Option<i64>,
    /// Clock ticks after boot.
    pub start_ticks: Option<i64>,
    /// The parent's process id.
    pub parent_pid: i64,
    /// The parent's start, clock ticks after boot.
    pub parent_start_ticks: Option<i64>,
    /// The parent's start, wall ns.
    pub parent_start_ns: Option<i64>,
}

/// Process start in wall ns (H2): computed in double precision and truncated, as other collectors do, so that the
/// numbers can be compared.
pub fn process_start_ns(start_ticks: i64, ticks_per_second: i64, boot_time_s: i64) -> i64 {
    ((start_ticks as f64 / ticks_per_second as f64 + boot_time_s as f64) * 1e9) as i64
}

/// Field 22 of a `/proc/<pid>/stat` line, counted after the last `)` since the command may hold spaces and
/// parentheses (H3).
pub fn start_ticks_of_stat(line: &str) -> Option<i64> {
    let (_, after_command) = line.rsplit_once(')')?;
    after_command.split_ascii_whitespace().nth(22 - 3)?.parse().ok()
}

/// The `btime` line of `/proc/stat`, whole seconds since 1970.
pub fn boot_time_of_stat(text: &str) -> Option<i64> {
    text.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok())
}

/// A process whose facts are given: for tests and simulated engines.
#[derive(Debug, Clone)]
pub struct FixedProcess {
    /// See [`Process::pid`].
    pub pid: u32,
    /// See [`Process::host`].
    pub host: String,
    /// See [`Process::boot_id`].
    pub boot_id: Option<String>,
    /// See [`Process::key`].
    pub key: [u8; 32],
}

impl Process for FixedProcess {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn host(&self) -> String {
        self.host.clone()
    }

    fn boot_id(&self) -> Option<String> {
        self.boot_id.clone()
    }

    fn key(&self) -> io::Result<[u8; 32]> {
        Ok(self.key)
    }
}

/// The real process on the real host.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemProcess;

#[cfg(unix)]
impl Process for SystemProcess {
    fn pid(&self) -> u32 {
        std::process::id()
    }

    fn host(&self) -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }

    fn boot_id(&self) -> Option<String> {
        let text = boot_id_text()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn key(&self) -> io::Result<[u8; 32]> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(key)
    }
}

#[cfg(target_os = "linux")]
fn boot_id_text() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
}

#[cfg(target_os = "macos")]
fn boot_id_text() -> Option<String> {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let mut child = Command::new("/usr/sbin/sysctl")
        .args(["-n", "kern.bootsessionuuid"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let deadline = Instant::now() + Duration::from_secs(2);
    while child.try_wait().ok()?.is_none() {
        if Instant::now() >= deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
fn boot_id_text() -> Option<String> {
    None
}

/// Start of this process and its parent. Only Linux tells; elsewhere all but the parent's id is unknown.
#[cfg(unix)]
pub fn own_process_start() -> ProcessStart {
    let parent_pid = std::os::unix::process::parent_id();
    let ticks_of =
        |process: &str| start_ticks_of_stat(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?);
    let boot_time = std::fs::read_to_string("/proc/stat").ok().and_then(|text| boot_time_of_stat(&text));
    let ticks_per_second = i64::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100);
    let ns_of = |ticks: Option<i64>| Some(process_start_ns(ticks?, ticks_per_second, boot_time?));
    let start_ticks = ticks_of("self");
    let parent_start_ticks = ticks_of(&parent_pid.to_string());
    ProcessStart {
        start_ns: ns_of(start_ticks),
        start_ticks,
        parent_pid: parent_pid.into(),
        parent_start_ticks,
        parent_start_ns: ns_of(parent_start_ticks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_double_arithmetic_of_a_process_start_is_kept() {
        // 1796066465 s of boot time and 486987 ticks of 10 ms: the exact sum would end in 870000000.
        assert_eq!(process_start_ns(486_987, 100, 1_796_066_465), 1_796_071_334_869_999_872);
    }

    #[test]
    fn a_command_with_parentheses_does_not_shift_the_fields() {
        let line = "812 (a) (b c) S 1 812 812 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2";
        assert_eq!(start_ticks_of_stat(line), Some(98_765));
        assert_eq!(start_ticks_of_stat("812 (a) S 1"), None);
        assert_eq!(boot_time_of_stat("cpu 1 2\nbtime 1796066465\nprocesses 1\n"), Some(1_796_066_465));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_who_we_are() {
        let start = own_process_start();
        assert_eq!(start.parent_pid, i64::from(std::os::unix::process::parent_id()));
        assert!(start.start_ticks >= start.parent_start_ticks && start.start_ns.is_some());
        assert_ne!(SystemProcess.key().expect("random bytes"), SystemProcess.key().expect("random bytes"));
        assert!(!SystemProcess.host().is_empty());
        assert_eq!(SystemProcess.boot_id().map(|id| id.trim().len() == id.len()), Some(true));
    }
}
