//! What the reader must know of the machine it runs on (`reading.md` §1).

use stepscope_epoch_log::Importer;

/// This machine: hostname, boot identifier, monotonic clock.
pub(crate) fn this_machine() -> Importer {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .ok()
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty());
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let monotonic_ns = now.tv_sec.saturating_mul(1_000_000_000).saturating_add(now.tv_nsec);
    Importer { host, boot_id, monotonic_ns }
}
