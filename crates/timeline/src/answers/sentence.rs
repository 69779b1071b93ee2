//! Sentences whose numbers lead to what they count.

use serde::Serialize;

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The words, with the spaces that belong between this piece and its neighbours.
    pub text: String,
    /// What must be seen first.
    pub strong: bool,
    /// Where the words lead.
    pub link: Option<Link>,
}

/// A tab of the lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tab {
    /// Stalls.
    Stalls,
    /// Steps.
    Steps,
    /// Problems of the files.
    Problems,
    /// The engine's settings.
    Config,
}

/// Where a number leads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Link {
    /// A tab.
    Tab {
        /// Which.
        tab: Tab,
    },
    /// A stall of the overview's list.
    Stall {
        /// Its index there.
        index: u32,
    },
    /// A step.
    Step {
        /// Its index in start order.
        index: u32,
    },
    /// A range of time.
    Range {
        /// Its start.
        t0: f64,
        /// Its end.
        t1: f64,
    },
}

/// How much a sentence should worry its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to worry about.
    Good,
    /// Worth knowing.
    Note,
    /// Cannot be told.
    Unknown,
    /// Wrong.
    Bad,
}

/// A sentence and its level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The level.
    pub level: Level,
    /// The sentence.
    pub parts: Parts,
}

/// A labelled sentence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// The label.
    pub label: String,
    /// The sentence.
    pub parts: Parts,
}

impl Fact {
    /// A fact that is told in plain words.
    pub fn plain(label: &str, text: impl Into<String>) -> Self {
        Self { label: label.to_owned(), parts: Parts::new().say(text) }
    }

    /// A fact.
    pub fn new(label: &str, parts: Parts) -> Self {
        Self { label: label.to_owned(), parts }
    }
}

/// The pieces of a sentence, front to back.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Parts(pub Vec<Part>);

impl Parts {
    /// Nothing said yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn add(mut self, text: impl Into<String>, strong: bool, link: Option<Link>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Part { text, strong, link });
        }
        self
    }

    /// Adds plain words.
    #[must_use]
    pub fn say(self, text: impl Into<String>) -> Self {
        self.add(text, false, None)
    }

    /// Adds words that must be seen first.
    #[must_use]
    pub fn strong(self, text: impl Into<String>) -> Self {
        self.add(text, true, None)
    }

    /// Adds words that lead somewhere.
    #[must_use]
    pub fn link(self, text: impl Into<String>, link: Link) -> Self {
        self.add(text, false, Some(link))
    }

    /// Adds words that must be seen first and lead somewhere.
    #[must_use]
    pub fn strong_link(self, text: impl Into<String>, link: Link) -> Self {
        self.add(text, true, Some(link))
    }

    /// Adds another sentence's pieces.
    #[must_use]
    pub fn then(mut self, more: Parts) -> Self {
        self.0.extend(more.0);
        self
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words alone.
    pub fn plain(&self) -> String {
        self.0.iter().map(|part| part.text.as_str()).collect()
    }
}
