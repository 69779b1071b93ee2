//! What the presets write, read back.

mod answers;
mod bytes;
mod epochs;
mod histories;
