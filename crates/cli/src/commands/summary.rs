//! `stepscope summary`: what happened, for people.

use stepscope_timeline::Timeline;

use crate::reading::Reading;

/// A dozen lines for every epoch.
pub(crate) fn summary(reading: Reading) -> String {
    let told: Vec<String> =
        reading.epochs.into_iter().map(|epoch| Timeline::new(epoch).summary() + "\n").collect();
    told.join("\n")
}
