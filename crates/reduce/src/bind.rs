//! Binding an internal ID to a request of the run (`reduce.md` §5).

use rustc_hash::FxHashMap;

use crate::digits;
use crate::facts::{Rules, RunFacts, RunRequest};
use crate::record::{BoundVia, Ownership, Text};

/// Whose request an ID is, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) ownership: Ownership,
    pub(crate) via: BoundVia,
    pub(crate) child_index: Option<i64>,
    pub(crate) completion_index: Option<i64>,
    /// For ownership run: index of the request in [`Binder::requests`], and the external ID it was found by.
    pub(crate) run: Option<(u32, Box<[u8]>)>,
}

/// The request of the run that the engine knows by these IDs (B2–B5); `None`: it is another client's, or that cannot be
/// told. `external` is the alias's, when it is text; `randomization` is what the hello says of it.
pub fn run_request(
    facts: &RunFacts,
    rules: Rules,
    internal: &[u8],
    external: Option<&[u8]>,
    randomization: Option<bool>,
) -> Option<RunRequest> {
    let mut binder = Binder::new(facts, rules);
    binder.bind(internal, external, randomization).run?;
    binder.into_requests().pop()
}

/// The parts of an internal ID (B1).
struct Shape<'a> {
    child_index: Option<i64>,
    /// From the prefix to the body's end.
    without_suffix: &'a [u8],
    /// From the prefix to the end.
    whole: &'a [u8],
}

const CHAT: &[u8] = b"chatcmpl-";
const COMPLETION: &[u8] = b"cmpl-";
/// `-` and eight hex digits.
const SUFFIX: usize = 9;

fn shape(id: &[u8], rules: Rules) -> Option<Shape<'_>> {
    // The reference passes over one line feed at the end.
    let id = match rules {
        Rules::Reference => id.strip_suffix(b"\n").unwrap_or(id),
        Rules::Corrected => id,
    };
    let digits = digits::leading(id, rules);
    let (child_index, whole) = match id[digits..].strip_prefix(b"_") {
        Some(rest) if digits > 0 => (digits::number(&id[..digits], rules), rest),
        _ => (None, id),
    };
    let rest = whole.strip_prefix(CHAT).or_else(|| whole.strip_prefix(COMPLETION))?;
    let suffix = match rest.len().checked_sub(SUFFIX).map(|at| rest[at..].split_at(1)) {
        Some((b"-", hex)) if hex.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) => SUFFIX,
        _ => 0,
    };
    let without_suffix = &whole[..whole.len() - suffix];
    (!without_suffix.contains(&b'\n')).then_some(Shape { child_index, without_suffix, whole })
}

/// Finds requests of the run by their external IDs, and keeps those it found.
pub(crate) struct Binder<'a> {
    known: &'a FxHashMap<Text, RunRequest>,
    rules: Rules,
    requests: Vec<RunRequest>,
    places: FxHashMap<Text, u32>,
}

impl<'a> Binder<'a> {
    pub(crate) fn new(facts: &'a RunFacts, rules: Rules) -> Self {
        Self { known: &facts.requests, rules, requests: Vec::new(), places: FxHashMap::default() }
    }

    /// Requests that something was bound to.
    pub(crate) fn into_requests(self) -> Vec<RunRequest> {
        self.requests
    }

    fn request(&self, key: &[u8]) -> Option<&'a RunRequest> {
        self.known.get(key).filter(|request| !request.request_id.is_empty())
    }

    /// B5: the request and its completion index.
    fn find(&self, external: &[u8]) -> Option<(&'a RunRequest, Option<i64>)> {
        if let Some(key) = external.strip_prefix(CHAT) {
            return Some((self.request(key)?, None));
        }
        let rest = external.strip_prefix(COMPLETION)?;
        if let Some((key, completion)) = self.split_completion(rest)
            && let Some(request) = self.request(key)
        {
            return Some((request, digits::number(completion, self.rules)));
        }
        Some((self.request(rest)?, None))
    }

    /// key `-` digits, with the longest such key. In the reference a line feed may end it, and may stand nowhere else.
    fn split_completion<'t>(&self, rest: &'t [u8]) -> Option<(&'t [u8], &'t [u8])> {
        let dash = rest.iter().rposition(|&byte| byte == b'-')?;
        let (key, mut completion) = (&rest[..dash], &rest[dash + 1..]);
        if self.rules == Rules::Reference {
            completion = completion.strip_suffix(b"\n").unwrap_or(completion);
            if key.contains(&b'\n') {
                return None;
            }
        }
        digits::all(completion, self.rules).then_some((key, completion))
    }

    /// The place of a request among those that something was bound to.
    pub(crate) fn keep(&mut self, request: &RunRequest) -> u32 {
        if let Some(&place) = self.places.get(&request.x_request_id)
            && self.requests[place as usize] == *request
        {
            return place;
        }
        let place = self.requests.len() as u32;
        self.requests.push(request.clone());
        self.places.insert(request.x_request_id.clone(), place);
        place
    }

    /// B2–B4. `external` is the alias's, when it is text.
    pub(crate) fn bind(
        &mut self,
        internal: &[u8],
        external: Option<&[u8]>,
        randomization: Option<bool>,
    ) -> Binding {
        let shape = shape(internal, self.rules);
        let child_index = shape.as_ref().and_then(|shape| shape.child_index);
        let mut binding = Binding {
            ownership: Ownership::Foreign,
            via: BoundVia::Alias,
            child_index,
            completion_index: None,
            run: None,
        };
        let candidates = match (external, &shape) {
            (Some(external), _) => [Some(external), None],
            (None, Some(shape)) => {
                binding.via = BoundVia::Internal;
                match randomization {
                    Some(true) => [Some(shape.without_suffix), None],
                    Some(false) => [Some(shape.whole), None],
                    None => [Some(shape.without_suffix), Some(shape.whole)],
                }
            }
            (None, None) => {
                binding.via = BoundVia::None;
                binding.ownership = Ownership::Unresolved;
                [None, None]
            }
        };
        for candidate in candidates.into_iter().flatten() {
            if let Some((request, completion_index)) = self.find(candidate) {
                binding.ownership = Ownership::Run;
                binding.completion_index = completion_index;
                binding.run = Some((self.keep(request), candidate.into()));
                break;
            }
        }
        binding
    }
}
