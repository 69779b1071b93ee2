//! Who writes an epoch, and the names that follow from it (`raw-log.md` §2).

use std::path::{Path, PathBuf};

use crate::record::producer_name;

/// What the recorded process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Runs the scheduler.
    Engine,
    /// Runs the model on a device.
    Worker,
}

impl Role {
    /// The role's name in directory names and hellos.
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Worker => "worker",
        }
    }
}

/// Names an epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// What the process does.
    pub role: Role,
    /// Hostname.
    pub host: String,
    /// Boot identifier, `None` when unknown.
    pub boot_id: Option<String>,
    /// The creating process.
    pub pid: u32,
    /// Wall time of the writer's creation, ns.
    pub start_ns: i64,
}

impl Identity {
    /// The epoch's name, which is its directory's and stands in every record (L4).
    pub fn epoch(&self) -> String {
        format!("{}-{}-{}", self.role.name(), self.pid, self.start_ns)
    }

    /// The directory above the epoch's: host and boot (L1–L3).
    pub fn host_directory(&self, root: &Path) -> PathBuf {
        root.join(format!("{}-{}", self.host, self.boot_id.as_deref().unwrap_or("noboot")))
    }

    /// The epoch's directory.
    pub fn directory(&self, root: &Path) -> PathBuf {
        self.host_directory(root).join(self.epoch())
    }

    /// The name of this engine's iterations.
    pub fn producer(&self) -> String {
        producer_name(&self.host, self.boot_id.as_deref(), self.pid, self.start_ns)
    }
}
