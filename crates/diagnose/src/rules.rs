//! The two rule sets (`README.md` of the specification, "Two rule sets").

/// Which answers are given where the reference's own are known to mislead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Equal to the reference, value for value.
    #[default]
    Reference,
    /// What a person is told: every `[D]` rule of `diagnose.md` part 1 put right.
    Corrected,
}

/// One `[D]` rule under which the reference gives a result. Where it stops with an exception instead, both rule
/// sets do what the rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Correction {
    /// §4: the last step is the last one with members.
    MemberlessLast,
    /// §4: a terminal ends an ID only when it comes after the last completion.
    EarlierTerminal,
    /// B4: intervals that end where they begin, or before, do not block, and a stall of no wall length is judged
    /// alike whether there are any intervals or not.
    OddInterval,
    /// `reduce.md` V1: an ID that is neither string nor integer, nor missing, is malformed.
    MalformedId,
}

impl Correction {
    pub(crate) const ALL: [Self; 4] =
        [Self::MemberlessLast, Self::EarlierTerminal, Self::OddInterval, Self::MalformedId];
}

/// The corrections in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Corrections(u8);

impl Corrections {
    pub(crate) fn only(correction: Correction) -> Self {
        Self(1 << correction as u8)
    }

    pub(crate) fn without(self, correction: Correction) -> Self {
        Self(self.0 & !(1 << correction as u8))
    }

    pub(crate) fn has(self, correction: Correction) -> bool {
        self.0 & (1 << correction as u8) != 0
    }
}

impl From<Rules> for Corrections {
    fn from(rules: Rules) -> Self {
        match rules {
            Rules::Reference => Self(0),
            Rules::Corrected => {
                Correction::ALL.into_iter().fold(Self(0), |all, one| Self(all.0 | 1 << one as u8))
            }
        }
    }
}
