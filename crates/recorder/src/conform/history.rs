//! A written history: what an engine did, event by event. Fields that may be absent stand for facts the engine does
//! not have.

use serde::Deserialize;

use super::ById;

#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) producer: String,
    pub(super) events: Vec<Event>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    Admit {
        request: Admitted,
    },
    Enqueue {
        live: bool,
        request: HandedOver,
        #[serde(default)]
        raised: bool,
    },
    Schedule {
        output: Option<Output>,
        #[serde(default)]
        live: ById<Live>,
        pause_state: Option<NamedValue>,
        #[serde(default)]
        raised: bool,
    },
    BeforeUpdate {
        step: Option<usize>,
        #[serde(default)]
        scheduled: Vec<(String, i64)>,
        identity: Option<(String, String)>,
        #[serde(default)]
        live: ById<Live>,
        model: Option<Model>,
    },
    Update {
        step: Option<usize>,
        #[serde(default)]
        raised: bool,
        #[serde(default)]
        result: Returned,
        live: Vec<String>,
        sampled_per_step: Option<i64>,
    },
    Free {
        request: Freed,
    },
    Pause {
        before: Option<NamedValue>,
        asked: Option<NamedValue>,
        #[serde(default)]
        raised: bool,
    },
    CacheReset {
        reset_running_requests: Option<bool>,
        reset_connector: Option<bool>,
        running: Vec<String>,
        returned: Option<bool>,
        #[serde(default)]
        raised: bool,
    },
}

#[derive(Debug, Deserialize)]
pub(super) struct Admitted {
    pub(super) id: String,
    pub(super) external: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct HandedOver {
    pub(super) id: String,
    pub(super) structured_output: Option<bool>,
    pub(super) resumable: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Freed {
    pub(super) id: String,
    pub(super) output_tokens: i64,
    pub(super) status: Option<NamedValue>,
    pub(super) finish_reason: Option<String>,
}

/// A plain text, or a value with a printed form and perhaps a name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum NamedValue {
    Text(String),
    Named { name: Option<String>, text: String },
}

#[derive(Debug, Deserialize)]
pub(super) struct Output {
    pub(super) total: i64,
    pub(super) scheduled: Vec<(String, i64)>,
    pub(super) new: Vec<(String, i64, i64)>,
    pub(super) known: Vec<(String, i64)>,
    pub(super) context: Option<ById<bool>>,
    #[serde(default)]
    pub(super) drafts: Vec<(String, Option<i64>)>,
    pub(super) preempted: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Live {
    pub(super) prompt_tokens: i64,
    pub(super) output_tokens: i64,
    pub(super) resumable: Option<bool>,
    pub(super) finished: bool,
    pub(super) stale_outputs: i64,
    pub(super) drop_stale: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Model {
    pub(super) rows: Vec<usize>,
    pub(super) row_of: ById<usize>,
}

/// Id, number of new tokens and finish reason.
pub(super) type Listed = (String, Option<i64>, Option<String>);

/// What a processing returned: per client a list of outputs; nothing; or another shape.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
pub(super) enum Returned {
    Clients(Vec<Option<Vec<Listed>>>),
    Unrecognized(serde::de::IgnoredAny),
    #[default]
    Nothing,
}
