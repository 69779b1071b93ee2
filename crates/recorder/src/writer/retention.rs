//! Removing old epochs (`raw-log.md` §8.10).

use std::path::Path;

use crate::files::FileSystem;

/// Removes the epochs under `root` whose directory changed more than `retain_ns` before `now_wall_ns`. Done once in
/// a process, before its first writer. What cannot be removed stays; nothing but epochs is touched.
///
/// A live epoch's directory changes about every second, so a retention of 0 or less may remove live epochs of other
/// processes (R2).
pub fn remove_old_epochs(files: &mut impl FileSystem, root: &Path, now_wall_ns: i64, retain_ns: i64) {
    for host in files.list(root).unwrap_or_default() {
        let host_directory = root.join(&host.name);
        // A first-level entry that is no directory cannot be listed.
        for entry in files.list(&host_directory).unwrap_or_default() {
            let age_ns = now_wall_ns.saturating_sub(entry.modified_ns);
            if entry.is_dir && is_epoch_name(&entry.name) && age_ns > retain_ns {
                let _ = files.remove_dir_all(&host_directory.join(&entry.name));
            }
        }
    }
}

/// Whether a directory is named like an epoch: role, digits, digits (`reading.md` D-4).
fn is_epoch_name(name: &str) -> bool {
    let mut parts = name.split('-');
    let role = parts.next();
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(role, Some("engine" | "worker")) && parts.clone().count() == 2 && parts.all(is_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_role_pid_start_is_an_epoch() {
        for name in ["engine-1-2", "worker-007-1790000000000000000"] {
            assert!(is_epoch_name(name), "{name}");
        }
        for name in [
            "engine-1",
            "engine-1-2-3",
            "Engine-1-2",
            "scheduler-1-2",
            "worker-1-",
            "engine--1-2",
            "engine-+1-2",
        ] {
            assert!(!is_epoch_name(name), "{name}");
        }
    }
}
