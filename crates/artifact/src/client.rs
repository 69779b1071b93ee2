//! What the client's own rows say about the run (`artifact.md` §8, §9 R1–R3).

use rustc_hash::FxHashMap;
use stepscope_epoch_log::json::text_of;
use stepscope_reduce::record::Text;
use stepscope_reduce::{Rules, RunRequest, Window};

use crate::object::{Object, Whole, string};
use crate::row::ClientRow;

/// Case and phase; what is no text is null.
type Phase = (Option<Text>, Option<Text>);

/// Requests and times of the client, gathered row by row in file order.
#[derive(Clone, Debug, Default)]
pub struct ClientFacts {
    /// By `x_request_id` (R1).
    pub requests: FxHashMap<Text, RunRequest>,
    /// Those that have both ends (R2).
    windows: Vec<Window>,
    /// Phases begun and not ended, in the order they began, with their start, ns.
    begun: Vec<(Phase, i128)>,
    /// `timestamp_ns` of the last session row that does not say it is running (R3).
    session_end_ns: Option<i128>,
    /// The latest `timestamp_ns`.
    last_record_ns: Option<i128>,
}

/// A time, ns; integers of any size are allowed, and compared as such.
fn time(fields: &Object<'_>, name: &str) -> Option<i128> {
    fields.get(name).and_then(Whole::of).map(Whole::wide)
}

/// The window, unless it ends before it starts. An end that does not fit lies beyond every stamp of a log.
fn window(start_ns: i128, end_ns: i128) -> Option<Window> {
    let fits = |time: i128| time.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    (start_ns <= end_ns).then(|| Window { start_ns: fits(start_ns), end_ns: fits(end_ns) })
}

fn phase(fields: &Object<'_>) -> Phase {
    let text = |name| fields.text(name).map(|text| text.into_owned());
    (text("case_id"), text("phase"))
}

impl ClientFacts {
    /// Takes the next row.
    pub fn add(&mut self, row: &ClientRow<'_>, rules: Rules) {
        let fields = &row.fields;
        self.last_record_ns = self.last_record_ns.max(time(fields, "timestamp_ns"));
        match &*row.event_type {
            b"infer.dispatch" | b"infer.request" => self.request(fields, rules),
            b"infer.phase_start" => self.phase_start(fields),
            b"infer.phase_window" => {
                let ended = phase(fields);
                self.begun.retain(|(begun, _)| *begun != ended);
                self.window(fields, "started_at_ns", "drained_at_ns");
            }
            b"infer.trace_window" => self.window(fields, "started_at_ns", "stopped_at_ns"),
            b"infer.incident_window" => self.window(fields, "start_ns", "end_ns"),
            b"infer.session" => {
                let running = fields.get("status").and_then(string).as_deref() == Some(b"running");
                if !running {
                    self.session_end_ns = time(fields, "timestamp_ns");
                }
            }
            _ => {}
        }
    }

    fn request(&mut self, fields: &Object<'_>, rules: Rules) {
        let Some(x_request_id) = fields.text("x_request_id") else { return };
        let request_id = match rules {
            Rules::Reference => text_of(fields.get("request_id").unwrap_or(b"null")),
            Rules::Corrected => fields.text("request_id").unwrap_or_default().into_owned(),
        };
        if request_id.is_empty() {
            return;
        }
        let (case_id, phase) = phase(fields);
        let x_request_id = x_request_id.into_owned();
        let request = RunRequest { request_id, x_request_id: x_request_id.clone(), case_id, phase };
        self.requests.insert(x_request_id, request);
    }

    fn phase_start(&mut self, fields: &Object<'_>) {
        let Some(start) = time(fields, "started_at_ns") else { return };
        let key = phase(fields);
        match self.begun.iter_mut().find(|(begun, _)| *begun == key) {
            Some((_, known)) => *known = start,
            None => self.begun.push((key, start)),
        }
    }

    fn window(&mut self, fields: &Object<'_>, start: &str, end: &str) {
        if let (Some(start_ns), Some(end_ns)) = (time(fields, start), time(fields, end)) {
            self.windows.extend(window(start_ns, end_ns));
        }
    }

    /// All windows; phases that were begun and not ended end with the session, else, when the server is known to
    /// have stopped, with the last record, else never (R3).
    pub fn windows(&self, server_stopped: bool) -> Vec<Window> {
        let last = if server_stopped { self.last_record_ns } else { None };
        let end_ns = self.session_end_ns.or(last).unwrap_or(i64::MAX.into());
        let open = self.begun.iter().filter_map(|&(_, start_ns)| window(start_ns, end_ns));
        self.windows.iter().copied().chain(open).collect()
    }
}
