//! Requests drawn at random: who asks, when, for how much.

use crate::random::Random;
use crate::request::RequestSpec;

/// How requests come.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pace {
    /// They do not know of each other; so many ns apart on average.
    Open { mean_ns: i64 },
    /// So many clients, each asking again this long after its last answer, ns.
    Closed { clients: usize, think_ns: i64 },
}

/// A random workload. Shares are thousandths.
#[derive(Debug, Clone)]
pub(crate) struct Workload {
    pub(crate) pace: Pace,
    /// No request comes after this time, ns.
    pub(crate) until_ns: i64,
    pub(crate) prompt_tokens: (i64, i64),
    pub(crate) output_tokens: (i64, i64),
    /// How many of the outputs stop by themselves, before their length.
    pub(crate) stopping: i64,
    /// How many prompts begin with one of so many shared prefixes of this length.
    pub(crate) prefixes: (i64, i64, i64),
    pub(crate) aborting: i64,
    pub(crate) streaming: i64,
    /// How many outputs follow a grammar, which takes this long to compile, ns.
    pub(crate) grammar: (i64, i64),
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            pace: Pace::Open { mean_ns: 250_000_000 },
            until_ns: 30_000_000_000,
            prompt_tokens: (32, 1024),
            output_tokens: (16, 256),
            stopping: 600,
            prefixes: (0, 1, 0),
            aborting: 0,
            streaming: 0,
            grammar: (0, 0),
        }
    }
}

impl Workload {
    /// When the first requests come, ns.
    pub(crate) fn first_arrivals(&self, random: &mut Random) -> Vec<i64> {
        match self.pace {
            Pace::Open { mean_ns } => vec![random.exponential(mean_ns)],
            Pace::Closed { clients, .. } => (0..clients as i64).map(|client| client * 1_000_000).collect(),
        }
    }

    /// When the next one comes after one came at `now_ns`.
    pub(crate) fn next_arrival(&self, now_ns: i64, random: &mut Random) -> Option<i64> {
        let Pace::Open { mean_ns } = self.pace else { return None };
        Some(now_ns + random.exponential(mean_ns)).filter(|&next| next <= self.until_ns)
    }

    /// When a client asks again after its request left at `now_ns`.
    pub(crate) fn after_an_end(&self, now_ns: i64, random: &mut Random) -> Option<i64> {
        let Pace::Closed { think_ns, .. } = self.pace else { return None };
        Some(now_ns + 1 + random.exponential(think_ns)).filter(|&next| next <= self.until_ns)
    }

    /// A request.
    pub(crate) fn draw(&self, random: &mut Random) -> RequestSpec {
        let name = format!("cmpl-{}{}-0", random.hex(16), random.hex(16));
        let prompt = skewed(random, self.prompt_tokens);
        let output = skewed(random, self.output_tokens);
        let mut spec = RequestSpec::new(name, prompt, output);
        if random.permille(self.stopping) {
            spec.stop_after = Some(1 + random.below(output));
        }
        let (share, count, length) = self.prefixes;
        if random.permille(share) {
            let which = random.below(count) as u32;
            spec.prefix = Some((which, length));
            spec.prompt_tokens += length;
        }
        if random.permille(self.aborting) {
            spec.abort_after = Some(1 + random.below(output));
        }
        if random.permille(self.streaming) {
            let inputs = 1 + random.below(4);
            spec.inputs =
                (0..inputs).map(|_| (1 + random.below(200), random.exponential(200_000_000))).collect();
        }
        let (share, compile_ns) = self.grammar;
        if random.permille(share) {
            spec.grammar_ns = Some(random.exponential(compile_ns));
        }
        spec
    }
}

/// Between two bounds, small values more often than large ones.
fn skewed(random: &mut Random, (low, high): (i64, i64)) -> i64 {
    let first = random.between((low, high));
    random.between((low, first))
}
