//! One seed, one result.

use std::hash::Hasher;

use stepscope_recorder::MemoryFiles;
use stepscope_simulate::{Options, SimulateError, generate, presets};

use crate::epochs::{preset, with};

#[test]
fn a_seed_gives_the_same_bytes_and_another_seed_others() {
    for name in ["mixture", "thrash"] {
        let options = |seed| Options { seed, ..Options::default() };
        let first = with(name, &options(7)).files;
        assert!(first == with(name, &options(7)).files);
        assert!(first != with(name, &options(8)).files);
    }
}

#[test]
fn every_preset_has_a_name_of_its_own_and_can_be_generated() {
    let mut names = std::collections::BTreeSet::new();
    for entry in presets() {
        assert!(names.insert(entry.name) && !entry.about.is_empty());
        let seconds = entry.is_adjustable.then_some(1.0);
        let generated = with(entry.name, &Options { seconds, ..Options::default() });
        assert!(generated.summary.steps > 0 && generated.summary.requests > 0, "{}", entry.name);
        assert_eq!(generated.records.len() as i64, generated.summary.records, "{}", entry.name);
    }
}

#[test]
fn seconds_rate_and_size_are_kept() {
    let options = Options { seconds: Some(5.0), rate: Some(20.0), ..Options::default() };
    let generated = with("steady", &options);
    assert!((70..130).contains(&generated.summary.requests), "{:?}", generated.summary);
    let options = Options { size_bytes: Some(3_000_000), ..Options::default() };
    let generated = with("heavy", &options);
    assert!((3_000_000..3_500_000).contains(&generated.summary.bytes), "{:?}", generated.summary);
    let size: usize = generated
        .files
        .iter()
        .filter(|(path, _)| path.to_string_lossy().contains(".jsonl"))
        .map(|(_, bytes)| bytes.len())
        .sum();
    assert_eq!(size as i64, generated.summary.bytes);
}

#[test]
fn what_cannot_be_had_is_said() {
    let mut files = MemoryFiles::new();
    let mut refused =
        |preset: &str, options: &Options| generate(preset, options, &mut files).expect_err("refused");
    let seconds = |seconds| Options { seconds: Some(seconds), ..Options::default() };
    assert!(matches!(refused("nothing", &Options::default()), SimulateError::NoSuchPreset(_)));
    assert!(matches!(refused("thrash", &seconds(1.0)), SimulateError::NotAdjustable("thrash")));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused("steady", &seconds(bad)), SimulateError::OutOfRange("seconds")));
    }
}

#[test]
fn the_bytes_of_a_preset_do_not_depend_on_the_machine() {
    // Made once; a platform whose arithmetic, order or random numbers differ shows here.
    let generated = preset("mixture");
    let mut digest = Fnv(0xcbf2_9ce4_8422_2325);
    for (path, bytes) in &generated.files {
        digest.write(path.to_string_lossy().as_bytes());
        digest.write(bytes);
    }
    assert_eq!(format!("{:016x}", digest.finish()), "26af7099c7435f2b");
}

/// FNV-1a, which is the same everywhere.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
