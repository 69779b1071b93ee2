//! `stepscope reduce --into` killed half-way: the artifact is as it was, or whole.
#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use stepscope_epoch_log::json::Value;

const SIGKILL: i32 = 9;
const SIGXFSZ: i32 = 25;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/epochs/pause_reset.tar.gz")
}

/// A folder with a client's artifact in it.
struct Place {
    folder: tempfile::TempDir,
    before: Vec<u8>,
}

/// What a killed import left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    AsItWas,
    Whole,
}

impl Place {
    /// An artifact that keeps every step, without records yet.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let artifact = folder.path().join("run.jsonl");
        let made = Command::new(env!("CARGO_BIN_EXE_stepscope"))
            .args(["reduce", &fixture().to_string_lossy(), "-o", &artifact.to_string_lossy()])
            .output()
            .expect("it runs");
        assert!(made.status.success());
        let whole = fs::read_to_string(&artifact).expect("an artifact");
        let before: String = whole.split_inclusive('\n').take(3).collect();
        assert!(before.contains("infer.artifact") && before.contains("infer.incident_window"));
        fs::write(&artifact, &before).expect("written");
        Self { folder, before: before.into_bytes() }
    }

    fn artifact(&self) -> PathBuf {
        self.folder.path().join("run.jsonl")
    }

    fn envelope(&self) -> PathBuf {
        self.folder.path().join("stormlog_run.json")
    }

    fn words(&self) -> [String; 4] {
        let shown = |path: PathBuf| path.to_string_lossy().into_owned();
        ["reduce".to_owned(), shown(fixture()), "--into".to_owned(), shown(self.artifact())]
    }

    fn start(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepscope"));
        command.args(self.words()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs")
    }

    /// As it was before any import.
    fn again(&self) {
        for entry in fs::read_dir(self.folder.path()).expect("a folder") {
            fs::remove_file(entry.expect("an entry").path()).expect("removed");
        }
        fs::write(self.artifact(), &self.before).expect("written");
    }

    /// What is there; of an envelope that it is whole. `steps` and `bytes` are those of an import that was let be.
    fn left(&self, steps: usize, bytes: usize) -> Left {
        let now = fs::read(self.artifact()).expect("the artifact is there");
        if let Ok(envelope) = fs::read(self.envelope()) {
            assert!(Value::parse(&envelope).is_ok_and(|value| value.get("run_id").is_some()));
        }
        if now == self.before {
            return Left::AsItWas;
        }
        assert!(now.starts_with(&self.before), "the old bytes changed");
        // Only the number of the process differs.
        assert!(now.len().abs_diff(bytes) < 100, "{} bytes of {bytes}", now.len());
        assert_eq!(steps_in(&now), steps);
        Left::Whole
    }
}

fn steps_in(artifact: &[u8]) -> usize {
    memchr::memmem::find_iter(artifact, b"\"event_type\": \"infer.iteration\"").count()
}

/// Pseudo-random shares of a second.
fn shares() -> impl Iterator<Item = f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((state >> 11) as f64 / (1_u64 << 53) as f64)
    })
}

#[test]
fn killed_at_any_moment_it_leaves_the_old_artifact_or_the_new_one() {
    let place = Place::new();
    let began = Instant::now();
    assert!(place.start().wait().expect("it ends").success());
    let took = began.elapsed();
    let whole = fs::read(place.artifact()).expect("an artifact");
    let (steps, bytes) = (steps_in(&whole), whole.len());
    assert!(steps > 500 && place.left(steps, bytes) == Left::Whole);

    let mut killed = 0;
    for share in shares().take(20) {
        place.again();
        let mut child = place.start();
        std::thread::sleep(took.mul_f64(share));
        child.kill().expect("killed");
        killed += usize::from(child.wait().expect("it ends").signal() == Some(SIGKILL));
        place.left(steps, bytes);
    }
    assert!(killed > 5, "most should be killed before they end: {killed}");

    // While the new artifact is written beside the old one, and as soon as all of it is there.
    for part in [1, bytes / 3, bytes / 2, bytes - 200] {
        place.again();
        let mut child = place.start();
        let staged = place.folder.path().join(format!("run.jsonl.{}.new", child.id()));
        let limit = Instant::now() + took * 20 + Duration::from_secs(20);
        while fs::metadata(&staged).map_or(0, |file| file.len()) < part as u64
            && child.try_wait().expect("a child").is_none()
        {
            assert!(Instant::now() < limit, "{part} bytes are never written");
        }
        child.kill().expect("killed");
        child.wait().expect("it ends");
        place.left(steps, bytes);
    }

    // What a killed import left does not keep the next one from its work.
    assert!(place.start().wait().expect("it ends").success());
    assert_eq!(steps_in(&fs::read(place.artifact()).expect("an artifact")), steps);
}

#[test]
fn ended_by_the_system_at_a_write_it_leaves_the_old_artifact() {
    let place = Place::new();
    assert!(place.start().wait().expect("it ends").success());
    let bytes = fs::metadata(place.artifact()).expect("an artifact").len();
    // The envelope is written first, and fits into each of these.
    for kilobytes in [4, 64, bytes / 4096, bytes / 2048, bytes / 1024 - 8] {
        place.again();
        let limited = format!("ulimit -c 0; ulimit -f {}; exec \"$@\"", kilobytes * blocks_of_a_kilobyte());
        let ended = Command::new("sh")
            .args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_stepscope")])
            .args(place.words())
            .output()
            .expect("it runs");
        assert_eq!(ended.status.signal(), Some(SIGXFSZ), "{kilobytes} kB: {ended:?}");
        assert_eq!(fs::read(place.artifact()).expect("an artifact"), place.before);
        let envelope = fs::read(place.envelope()).expect("the envelope came before");
        assert!(Value::parse(&envelope).is_ok());
    }
}

/// Shells count a file's size in blocks of 512 or of 1,024 bytes: this one says which it takes.
fn blocks_of_a_kilobyte() -> u64 {
    let script = "ulimit -c 0; ulimit -f 3; printf %01600d 0 > \"$1\"";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file").to_string_lossy().into_owned();
    Command::new("sh").args(["-c", script, "sh", &file]).output().expect("it runs");
    // Of 1,600 bytes three blocks of 512 hold 1,536.
    if fs::metadata(&file).is_ok_and(|file| file.len() < 1600) { 2 } else { 1 }
}
