//! The order in which a record gives its fields.

use super::log::{Log, facts, raw, reduced};
use crate::record::{Fields, Raw, Ref};

/// Notes the names of every object.
#[derive(Default)]
struct Names {
    open: Vec<Vec<&'static str>>,
    closed: Vec<Vec<&'static str>>,
}

impl Names {
    fn add(&mut self, name: &'static str) {
        self.open.last_mut().expect("an open object").push(name);
    }
}

impl Fields for Names {
    fn value(&mut self, name: &'static str, _: Raw<'_>) {
        self.add(name);
    }
    fn joined(&mut self, name: &'static str, _: &[&[u8]]) {
        self.add(name);
    }
    fn reference(&mut self, name: &'static str, _: Option<Ref<'_>>) {
        self.add(name);
    }
    fn context(&mut self) {
        self.add("context");
    }
    fn schema_version(&mut self) {
        self.add("schema_version");
    }
    fn open(&mut self, name: &'static str) {
        self.add(name);
        self.open.push(Vec::new());
    }
    fn close(&mut self) {
        self.closed.extend(self.open.pop());
    }
}

#[test]
fn names_ascend_at_every_depth() {
    let log = Log::new(
        "hello | alias A chatcmpl-x1 | enq A | sched 0 A,B !A | compl 0 A | pause | reset A | term A | sched 1 A !A | compl 1 A",
    );
    let reduced = reduced(&log, &facts(&["x1"]), &raw());
    let mut objects = Vec::new();
    let mut kinds = std::collections::BTreeSet::new();
    reduced.reduction.each_record(&reduced.epoch, &mut |record| {
        let mut names = Names { open: vec![Vec::new()], ..Names::default() };
        record.fields(&mut names);
        objects.append(&mut names.closed);
        objects.append(&mut names.open);
        kinds.insert(record.event_type());
        if let crate::Record::Stage(stage) = record {
            kinds.insert(stage.facts.name());
        }
    });
    assert_eq!(kinds.len(), 9, "{kinds:?}");
    let mut context = Names { open: vec![Vec::new()], ..Names::default() };
    reduced.reduction.context().fields(&mut context);
    assert_eq!(context.open[0].len(), 19);
    objects.append(&mut context.open);
    for names in objects {
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    }
}

#[test]
fn as_many_records_come_as_are_counted() {
    let reduced = reduced(&Log::new("hello | sched 0 A,B !A | compl 0 A | pause"), &facts(&[]), &raw());
    assert_eq!(reduced.records().len(), reduced.reduction.len());
    assert!(!reduced.reduction.is_empty());
}
