//! `stepscope summary`: what happened, for people.

use crate::reading::Reading;

/// Some lines for every epoch.
pub(crate) fn summary(reading: &Reading) -> String {
    let _ = reading;
    String::new()
}
