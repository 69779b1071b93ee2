//! `stepscope simulate`: a sample epoch by the simulated engine.

use stepscope_recorder::files::Disk;
use stepscope_simulate::{Options, SimulateError, Summary, generate, presets};

/// All presets with what each shows, a line each.
pub(crate) fn list() -> String {
    let width = presets().iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    presets().iter().map(|preset| format!("{:width$}  {}\n", preset.name, preset.about)).collect()
}

/// Writes an epoch below `options.root`.
///
/// # Errors
/// As [`generate`].
pub(crate) fn simulate(preset: &str, options: &Options) -> Result<String, SimulateError> {
    Ok(told(&generate(preset, options, &mut Disk::default())?))
}

fn told(made: &Summary) -> String {
    let Summary { directory, requests, steps, records, bytes, dropped, duration_ns } = made;
    let seconds = *duration_ns as f64 / 1e9;
    format!(
        "{}\n{requests} requests, {steps} steps, {records} records, {bytes} bytes, {dropped} dropped, {seconds:.1} s\n",
        directory.display()
    )
}

/// A size such as `256MB`, `64MiB` or `1000000`, in bytes.
///
/// # Errors
/// When the text is none.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return Err("expected bytes, or a number with kB, MB, GB, KiB, MiB or GiB".to_owned()),
    };
    let number: f64 = digits.parse().map_err(|_| "expected a number".to_owned())?;
    if number > 0.0 {
        Ok((number * unit as f64) as u64)
    } else {
        Err("expected more than nothing".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(size("256MB"), Ok(256_000_000));
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("1.5kB"), Ok(1500));
        assert_eq!(size("7"), Ok(7));
        for wrong in ["", "MB", "-1", "0", "3 parsecs", "1e"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
