//! Executions and finishes against a literal reading of §6 and §9 that searches through everything, on random logs.

use proptest::prelude::*;

use super::log::{End, Log, facts, raw, reduced};
use crate::facts::{KnownAttempt, RefBuf};

#[derive(Clone, Debug)]
enum Record {
    Alias(&'static str),
    Enqueued(&'static str),
    Scheduled(u8, Vec<&'static str>),
    Completed(u8),
    Terminal(&'static str),
}

/// A record and its time; its place in the list is its seq, after the hello.
type Timed = (Record, Option<i64>);

#[derive(Clone, Debug, PartialEq)]
struct Stay {
    id: String,
    key: String,
    admission: Option<i64>,
    alias: Option<i64>,
    enqueued: Option<i64>,
    terminal: Option<i64>,
    /// Step, seq of its `scheduled`, upper end.
    memberships: Vec<(u8, i64, i64)>,
    pending: bool,
}

const IDS: [&str; 5] = ["A", "A#2", "A#3", "B", "chatcmpl-x1"];

struct Naive {
    stays: Vec<Stay>,
    existing: Vec<String>,
}

impl Naive {
    fn candidates(id: &str) -> impl Iterator<Item = String> + '_ {
        (1..).map(move |n| if n == 1 { id.to_owned() } else { format!("{id}#{n}") })
    }

    fn add(&mut self, stay: Stay) {
        match self.stays.iter().position(|other| other.key == stay.key) {
            Some(place) => self.stays[place] = stay,
            None => self.stays.push(stay),
        }
    }

    fn stay(id: &str, key: String, alias: Option<(i64, Option<i64>)>) -> Stay {
        Stay {
            id: id.to_owned(),
            key,
            admission: alias.and_then(|(_, time)| time),
            alias: alias.map(|(seq, _)| seq),
            enqueued: None,
            terminal: None,
            memberships: Vec::new(),
            pending: false,
        }
    }

    fn continued(&mut self, id: &str) {
        let run = Self::candidates(id).take_while(|key| self.existing.contains(key));
        let key = run.last().unwrap_or_else(|| id.to_owned());
        self.add(Self::stay(id, key, None));
    }

    fn admitted(&mut self, id: &str, seq: i64, time: Option<i64>) {
        let free =
            |key: &String| !self.stays.iter().any(|stay| stay.key == *key) && !self.existing.contains(key);
        let key = Self::candidates(id).find(free).expect("some key is free");
        self.add(Self::stay(id, key, Some((seq, time))));
    }

    /// E7, creating what is not there.
    fn at(&mut self, id: &str, time: Option<i64>) -> usize {
        let mut places: Vec<usize> = (0..self.stays.len()).filter(|&at| self.stays[at].id == id).collect();
        places.sort_by_key(|&at| self.stays[at].admission);
        let Some(&first) = places.first() else {
            self.continued(id);
            return self.at(id, time);
        };
        let Some(time) = time else { return first };
        let began = |at: &&usize| self.stays[**at].admission.is_none_or(|admission| admission <= time);
        places.iter().rev().find(began).copied().unwrap_or(first)
    }
}

/// Memberships in order, finishes, unattached terminals, by the letter.
#[allow(clippy::type_complexity)]
fn naive(
    records: &[Timed],
    existing: &[String],
    over: bool,
) -> (Vec<String>, Vec<(u8, String, bool)>, Vec<i64>, usize) {
    let seq = |at: usize| at as i64 + 1;
    let mut naive = Naive { stays: Vec::new(), existing: existing.to_vec() };
    let mut ids = IDS.to_vec();
    ids.sort_unstable();
    for id in ids {
        let mut admissions: Vec<(i64, i64, Option<i64>)> = Vec::new();
        let mut used: Option<i64> = None;
        for (at, (record, time)) in records.iter().enumerate() {
            match record {
                Record::Alias(other) if *other == id => admissions.push((time.unwrap_or(0), seq(at), *time)),
                Record::Terminal(other) if *other == id => used = used.into_iter().chain(*time).min(),
                Record::Scheduled(_, members) if members.contains(&id) => {
                    used = used.into_iter().chain(*time).min();
                }
                _ => {}
            }
        }
        admissions.sort_unstable();
        let before = match (used, admissions.first()) {
            (Some(_), None) => true,
            (Some(used), Some((_, _, Some(admitted)))) => used < *admitted,
            _ => false,
        };
        if before {
            naive.continued(id);
        }
        for (_, seq, time) in admissions {
            naive.admitted(id, seq, time);
        }
    }
    for (at, (record, time)) in records.iter().enumerate() {
        if let Record::Enqueued(id) = record {
            let place = naive.at(id, *time);
            naive.stays[place].enqueued.get_or_insert(seq(at));
        }
        if let Record::Terminal(id) = record {
            let place = naive.at(id, *time);
            naive.stays[place].terminal.get_or_insert(seq(at));
        }
    }
    // Steps: the last `scheduled` of a number, the first completion.
    let last_seq = records.len() as i64;
    let highest = records.iter().filter_map(|(record, _)| match record {
        Record::Completed(step) => Some(*step),
        _ => None,
    });
    let highest = highest.max();
    let mut finals = Vec::new();
    let mut pending = Vec::new();
    for (at, (record, time)) in records.iter().enumerate() {
        let Record::Scheduled(step, members) = record else { continue };
        let same = |record: &Record| matches!(record, Record::Scheduled(other, _) if other == step);
        if records[at + 1..].iter().any(|(record, _)| same(record)) {
            continue;
        }
        let completed = records
            .iter()
            .position(|(record, _)| matches!(record, Record::Completed(other) if other == step));
        let is_final = completed.is_some() || over || highest.is_some_and(|highest| highest > *step);
        let upper = completed.map_or(last_seq, seq);
        if is_final {
            finals.push((*step, members, *time, seq(at), upper))
        } else {
            pending.push((members, *time))
        }
    }
    for (_, members, time, _, _) in &finals {
        for id in *members {
            naive.at(id, *time);
        }
    }
    let mut memberships = Vec::new();
    for (step, members, time, scheduled, upper) in &finals {
        for id in *members {
            let place = naive.at(id, *time);
            let stay = &mut naive.stays[place];
            stay.memberships.push((*step, *scheduled, *upper));
            memberships.push(format!("{step}:{}", stay.key));
        }
    }
    for (members, time) in &pending {
        for id in *members {
            let place = naive.at(id, *time);
            naive.stays[place].pending = true;
        }
    }
    let mut finishes = Vec::new();
    let mut unattached = Vec::new();
    for stay in &naive.stays {
        let Some(ended) = stay.terminal else { continue };
        let within =
            stay.memberships.iter().find(|(_, scheduled, upper)| *scheduled < ended && ended <= *upper);
        if let Some((step, _, _)) = within {
            finishes.push((*step, stay.key.clone(), true));
        } else if stay.pending {
        } else if let Some((step, _, _)) = stay.memberships.last() {
            finishes.push((*step, stay.key.clone(), false));
        } else {
            unattached.push(ended);
        }
    }
    finishes.sort();
    unattached.sort_unstable();
    (memberships, finishes, unattached, naive.stays.len())
}

fn log_of(records: &[Timed], over: bool) -> Log {
    let mut log = Log::new("hello");
    for (record, time) in records {
        let time = time.map_or("-".to_owned(), |time| time.to_string());
        log.add(&match record {
            Record::Alias(id) => format!("alias {id} @{time}"),
            Record::Enqueued(id) => format!("enq {id} @{time}"),
            Record::Scheduled(step, members) => format!("sched {step} {} @{time}", members.join(",")),
            Record::Completed(step) => format!("compl {step} @{time}"),
            Record::Terminal(id) => format!("term {id} @{time}"),
        });
    }
    log.end = if over { End::Gone } else { End::Unknown };
    log
}

fn record() -> impl Strategy<Value = Record> {
    let id = || proptest::sample::select(&IDS[..]);
    let members = proptest::sample::subsequence(&IDS[..], 0..=4);
    prop_oneof![
        2 => id().prop_map(Record::Alias),
        1 => id().prop_map(Record::Enqueued),
        4 => (0..6u8, members).prop_map(|(step, members)| Record::Scheduled(step, members)),
        2 => (0..6u8).prop_map(Record::Completed),
        2 => id().prop_map(Record::Terminal),
    ]
}

fn records() -> impl Strategy<Value = Vec<Timed>> {
    let jitter = prop_oneof![4 => (0i64..60).prop_map(Some), 1 => Just(None)];
    let timed = (record(), jitter);
    proptest::collection::vec(timed, 0..24).prop_map(|records| {
        let records = records.into_iter().enumerate();
        records
            .map(|(at, (record, jitter))| (record, jitter.map(|jitter| 100 + 5 * at as i64 + jitter)))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn executions_and_finishes_as_by_the_letter(
        records in records(),
        existing in proptest::sample::subsequence(vec!["A", "A#2", "A#3", "B", "B#2", "A#2#2"], 0..4),
        over: bool,
    ) {
        // IDs are written as they are, and nobody is the run's: every step with members is kept.
        let existing: Vec<String> = existing.into_iter().map(str::to_owned).collect();
        let mut facts = facts(&[]);
        for id in &existing {
            let attempt = RefBuf { producer_id: b"P".to_vec(), id: id.clone().into_bytes() };
            facts.existing_attempts.insert(attempt, KnownAttempt::default());
        }
        let reduced = reduced(&log_of(&records, over), &facts, &raw());
        let found = reduced.records();
        let (memberships, finishes, unattached, count) = naive(&records, &existing, over);
        let member = |record: &serde_json::Value| {
            let text = |of: &str| record[of]["id"].as_str().expect("text").to_owned();
            format!("{}:{}", text("iteration_ref"), text("attempt_ref"))
        };
        let members = found.iter().filter(|record| record["event_type"] == "infer.membership");
        let ours: Vec<String> = members.clone().map(member).collect();
        prop_assert_eq!(ours, memberships);
        let mut ours: Vec<(u8, String, bool)> = members
            .filter(|record| record["metadata"]["finish"].is_object())
            .map(|record| (
                record["iteration_ref"]["id"].as_str().expect("text").parse().expect("a number"),
                record["attempt_ref"]["id"].as_str().expect("text").to_owned(),
                record["metadata"]["finish"]["in_step"].as_bool().expect("a flag"),
            ))
            .collect();
        ours.sort();
        prop_assert_eq!(ours, finishes);
        prop_assert_eq!(&reduced.reduction.finish_unattached, &unattached);
        prop_assert_eq!(reduced.reduction.executions().iter().sum::<u64>(), count as u64);
    }
}
