//! Numbers and names as people read them. The page's `view/format.ts` writes the same forms.

/// `12,269`; a minus is a real one.
pub fn count(n: impl TryInto<i64>) -> String {
    let n = n.try_into().unwrap_or(i64::MAX);
    let digits = n.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    if n < 0 {
        text.push('−');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 step`, `2 steps`.
pub fn counted(n: impl TryInto<i64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(i64::MAX);
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

fn three(value: f64) -> String {
    if value >= 99.95 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// Three significant digits in the unit that suits: `1.50 s`, `812 ms`, `1 m 57 s`.
pub fn duration(ns: impl Into<Ns>) -> String {
    let ns = ns.into().0;
    let sign = if ns < 0.0 { "−" } else { "" };
    let size = ns.abs();
    if size >= 3_599_500_000_000.0 {
        let minutes = (size / 60e9).round();
        format!("{sign}{} h {} m", count((minutes / 60.0).floor() as i64), minutes as i64 % 60)
    } else if size >= 99_950_000_000.0 {
        let seconds = (size / 1e9).round() as i64;
        format!("{sign}{} m {} s", seconds / 60, seconds % 60)
    } else if size >= 999_500_000.0 {
        format!("{sign}{} s", three(size / 1e9))
    } else if size >= 999_500.0 {
        format!("{sign}{} ms", three(size / 1e6))
    } else if size >= 999.5 {
        format!("{sign}{} µs", three(size / 1e3))
    } else {
        format!("{sign}{} ns", size.round() as i64)
    }
}

/// Nanoseconds for [`duration`], from whole ones or a median.
#[derive(Clone, Copy, Debug)]
pub struct Ns(f64);

impl From<i64> for Ns {
    fn from(ns: i64) -> Self {
        Self(ns as f64)
    }
}

impl From<f64> for Ns {
    fn from(ns: f64) -> Self {
        Self(ns)
    }
}

/// A length of which the tenth is enough: `5.7 s`, `71 ms`.
pub fn rough(ns: impl Into<Ns>) -> String {
    let ns = ns.into();
    let size = ns.0.abs();
    let sign = if ns.0 < 0.0 { "−" } else { "" };
    if size >= 99_950_000_000.0 {
        duration(ns.0)
    } else if size >= 999_500_000.0 {
        format!("{sign}{:.1} s", size / 1e9)
    } else if size >= 9_950_000.0 {
        format!("{sign}{:.0} ms", size / 1e6)
    } else {
        duration(ns.0)
    }
}

/// A time on the epoch's own clock: `36.924 s` with three places.
pub fn moment(t: i64, places: usize) -> String {
    let text = format!("{:.places$}", t as f64 / 1e9);
    match text.strip_prefix('-') {
        Some(digits) => format!("−{digits} s"),
        None => format!("{text} s"),
    }
}

/// `22.4 MB`, in powers of ten.
pub fn bytes(n: u64) -> String {
    let size = n as f64;
    if size >= 999_500_000.0 {
        format!("{} GB", three(size / 1e9))
    } else if size >= 999_500.0 {
        format!("{} MB", three(size / 1e6))
    } else if size >= 1000.0 {
        format!("{} kB", three(size / 1e3))
    } else {
        format!("{n} B")
    }
}

/// A share of a whole that never rounds up to all or down to nothing: `99.1 %`, `< 0.1 %`, `> 99.9 %`.
pub fn percent(part: i64, whole: i64) -> String {
    if whole <= 0 || part >= whole {
        return "100 %".to_owned();
    }
    if part <= 0 {
        return "0 %".to_owned();
    }
    let share = part as f64 / whole as f64 * 100.0;
    if share < 0.1 {
        "< 0.1 %".to_owned()
    } else if share > 99.9 {
        "> 99.9 %".to_owned()
    } else {
        format!("{share:.1} %")
    }
}

/// `21.3`, or `120` when there is no use for a tenth.
pub fn ratio(value: f64) -> String {
    if value >= 99.95 { count(value.round() as i64) } else { format!("{value:.1}") }
}

/// `Two`, `Ten`; larger numbers in digits. For the start of a sentence.
pub fn spelled(n: usize) -> String {
    const NAMES: [&str; 11] =
        ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];
    NAMES.get(n).map_or_else(|| count(n as i64), |name| (*name).to_owned())
}

/// Text of the log for people: control characters and marks that reorder text are replaced, so that it cannot pass
/// for something else in a terminal or a sentence.
pub fn safe(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// With a capital at the start of a sentence.
pub fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(letter) = text.get_mut(..1) {
        letter.make_ascii_uppercase();
    }
    text
}

/// A JSON scalar without the quotes of a string.
pub fn bare(json: &str) -> String {
    let text = json.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    safe(text.unwrap_or(json))
}

/// The first `most` characters, with an ellipsis when there were more.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A request's name short enough for a lane: without the API's prefix and a lone completion's `-0`, of a UUID its
/// first eight digits.
pub fn short_name(id: &str) -> String {
    let id = safe(id);
    let bare = id.strip_prefix("chatcmpl-").or_else(|| id.strip_prefix("cmpl-")).unwrap_or(&id);
    let bare = if id.starts_with("cmpl-") { bare.strip_suffix("-0").unwrap_or(bare) } else { bare };
    let bytes = bare.as_bytes();
    let hex = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    if bytes.len() >= 36 && bytes[8] == b'-' && bytes[13] == b'-' && hex(&bytes[..8]) && hex(&bytes[9..13]) {
        return format!("{}{}", &bare[..8], &bare[36..]);
    }
    if bare.is_empty() { cut(&id, 16) } else { cut(bare, 16) }
}

/// Milliseconds since 1970 as UTC: `2026-11-30 19:36:24`.
pub fn utc(ms: f64) -> String {
    let seconds = (ms / 1000.0).floor() as i64;
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days to a date of the Gregorian calendar, in eras of 400 years that begin in March.
    let shifted = days.saturating_add(719_468);
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_on_the_page() {
        assert_eq!(count(0), "0");
        assert_eq!(count(12_269), "12,269");
        assert_eq!(count(-1_234_567), "−1,234,567");
        assert_eq!(counted(1, "step"), "1 step");
        assert_eq!(counted(0, "step"), "0 steps");
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (70_600, "70.6 µs"),
            (812_000_000, "812 ms"),
            (999_600_000, "1.00 s"),
            (1_499_800_000, "1.50 s"),
            (117_000_000_000, "1 m 57 s"),
            (7_260_000_000_000, "2 h 1 m"),
            (-12_000_000, "−12.0 ms"),
        ] {
            assert_eq!(duration(ns), text);
        }
        assert_eq!(rough(5_712_000_000), "5.7 s");
        assert_eq!(rough(70_600_000), "71 ms");
        assert_eq!(rough(7_060_000), "7.06 ms");
        assert_eq!(moment(36_924_300_000, 3), "36.924 s");
        assert_eq!(bytes(22_378_735), "22.4 MB");
        assert_eq!(utc(1_796_067_384_115.5), "2026-11-30 19:36:24");
        assert_eq!(utc(0.0), "1970-01-01 00:00:00");
        assert_eq!(utc(951_782_400_000.0), "2000-02-29 00:00:00");
        assert_eq!(utc(-1.0), "1969-12-31 23:59:59");
        assert_eq!(spelled(2), "Two");
        assert_eq!(spelled(11), "11");
    }

    #[test]
    fn shares_are_neither_all_nor_nothing_unless_they_are() {
        assert_eq!(percent(991, 1000), "99.1 %");
        assert_eq!(percent(1000, 1000), "100 %");
        assert_eq!(percent(99_999, 100_000), "> 99.9 %");
        assert_eq!(percent(1, 100_000), "< 0.1 %");
        assert_eq!(percent(0, 5), "0 %");
    }

    #[test]
    fn names_of_requests_are_short_and_harmless() {
        assert_eq!(short_name("cmpl-r118-0"), "r118");
        assert_eq!(short_name("chatcmpl-8ede1966-fac1-4df8-bf18-3afee20f94f1"), "8ede1966");
        assert_eq!(short_name("cmpl-47caff9b-c31b-4f23-bd3c-a4cd21573263-1"), "47caff9b-1");
        assert_eq!(short_name("cmpl-"), "cmpl-");
        assert_eq!(short_name(""), "");
        assert_eq!(short_name("a\u{1b}[31mred"), "a\u{fffd}[31mred");
        assert_eq!(short_name(&"x".repeat(3000)).chars().count(), 17);
        assert_eq!(short_name("äöü-8ede1966-fac1-4df8-bf18-3afee20f94f1"), "äöü-8ede1966-fac…");
    }
}
