//! `reduce.md` §5.

use super::log::facts;
use crate::bind::Binder;
use crate::facts::{Rules, RunFacts};
use crate::record::Ownership;

/// Request, completion and child index, or ownership.
fn bound(
    facts: &RunFacts,
    rules: Rules,
    internal: &str,
    external: Option<&str>,
    randomization: Option<bool>,
) -> String {
    let mut binder = Binder::new(facts, rules);
    let binding = binder.bind(internal.as_bytes(), external.map(str::as_bytes), randomization);
    let via = binding.via.name();
    let index = |value: Option<i64>| value.map_or("-".to_owned(), |value| value.to_string());
    let (child, completion) = (index(binding.child_index), index(binding.completion_index));
    match &binding.run {
        Some((_, external)) => {
            assert_eq!(binding.ownership, Ownership::Run);
            let external = String::from_utf8_lossy(external).into_owned();
            let requests = binder.into_requests();
            let request = String::from_utf8_lossy(&requests[0].x_request_id).into_owned();
            format!("run {request} via {via} child {child} completion {completion} external {external}")
        }
        None => format!("{} via {via} child {child}", binding.ownership.name()),
    }
}

#[test]
fn the_table_of_bindings() {
    let (yes, no, unknown) = (Some(true), Some(false), None);
    let plain = "child - completion -";
    for (internal, external, randomization, known, result) in [
        (
            "chatcmpl-x1-0a1b2c3d",
            None,
            yes,
            &["x1"][..],
            format!("run x1 via internal {plain} external chatcmpl-x1"),
        ),
        ("chatcmpl-x1", None, yes, &["x1"], format!("run x1 via internal {plain} external chatcmpl-x1")),
        ("chatcmpl-x1-0a1b2c3d", None, no, &["x1"], "foreign via internal child -".into()),
        (
            "chatcmpl-a-0a1b2c3d",
            None,
            no,
            &["a-0a1b2c3d", "a"],
            format!("run a-0a1b2c3d via internal {plain} external chatcmpl-a-0a1b2c3d"),
        ),
        (
            "chatcmpl-a-0a1b2c3d",
            None,
            unknown,
            &["a-0a1b2c3d", "a"],
            format!("run a via internal {plain} external chatcmpl-a"),
        ),
        (
            "chatcmpl-a-0a1b2c3d",
            None,
            unknown,
            &["a-0a1b2c3d"],
            format!("run a-0a1b2c3d via internal {plain} external chatcmpl-a-0a1b2c3d"),
        ),
        (
            "cmpl-x1-0-0a1b2c3d",
            None,
            yes,
            &["x1"],
            "run x1 via internal child - completion 0 external cmpl-x1-0".into(),
        ),
        (
            "cmpl-x1-0",
            Some("cmpl-x1-0"),
            unknown,
            &["x1", "x1-0"],
            "run x1 via alias child - completion 0 external cmpl-x1-0".into(),
        ),
        (
            "cmpl-x1-0-1",
            Some("cmpl-x1-0-1"),
            unknown,
            &["x1", "x1-0"],
            "run x1-0 via alias child - completion 1 external cmpl-x1-0-1".into(),
        ),
        (
            "03_cmpl-x1-1-0a1b2c3d",
            Some("cmpl-x1-1"),
            unknown,
            &["x1"],
            "run x1 via alias child 3 completion 1 external cmpl-x1-1".into(),
        ),
        (
            "foo",
            Some("chatcmpl-x1"),
            unknown,
            &["x1"],
            format!("run x1 via alias {plain} external chatcmpl-x1"),
        ),
        ("foo", Some("x1"), unknown, &["x1"], "foreign via alias child -".into()),
        ("foo", None, unknown, &["x1"], "unresolved via none child -".into()),
        ("3_foo", None, unknown, &["x1"], "unresolved via none child -".into()),
        ("3_foo", Some("zzz"), unknown, &["x1"], "foreign via alias child -".into()),
        ("chatcmpl-x1-0A1B2C3D", None, unknown, &["x1"], "foreign via internal child -".into()),
        (
            "chatcmpl-0a1b2c3d",
            None,
            yes,
            &["0a1b2c3d"],
            format!("run 0a1b2c3d via internal {plain} external chatcmpl-0a1b2c3d"),
        ),
        ("chatcmpl-chatcmpl-x1", None, unknown, &["x1"], "foreign via internal child -".into()),
        (
            "12_chatcmpl-x1",
            None,
            yes,
            &["x1"],
            "run x1 via internal child 12 completion - external chatcmpl-x1".into(),
        ),
        ("_chatcmpl-x1", None, yes, &["x1"], "unresolved via none child -".into()),
        ("chatcmpl-a\nb", None, yes, &["a"], "unresolved via none child -".into()),
    ] {
        for rules in [Rules::Reference, Rules::Corrected] {
            assert_eq!(
                bound(&facts(known), rules, internal, external, randomization),
                result,
                "{internal:?}"
            );
        }
    }
}

#[test]
fn line_feeds_and_digits_of_other_scripts() {
    let facts = facts(&["x1"]);
    for (internal, external, reference, corrected) in [
        (
            "chatcmpl-x1-0a1b2c3d\n",
            None,
            "run x1 via internal child - completion - external chatcmpl-x1",
            "unresolved via none child -",
        ),
        (
            "foo",
            Some("cmpl-x1-0\n"),
            "run x1 via alias child - completion 0 external cmpl-x1-0\n",
            "foreign via alias child -",
        ),
        (
            "٣_chatcmpl-x1",
            None,
            "run x1 via internal child 3 completion - external chatcmpl-x1",
            "unresolved via none child -",
        ),
        (
            "foo",
            Some("cmpl-x1-٣"),
            "run x1 via alias child - completion 3 external cmpl-x1-٣",
            "foreign via alias child -",
        ),
    ] {
        assert_eq!(
            bound(&facts, Rules::Reference, internal, external, Some(true)),
            reference,
            "{internal:?}"
        );
        assert_eq!(
            bound(&facts, Rules::Corrected, internal, external, Some(true)),
            corrected,
            "{internal:?}"
        );
    }
}

#[test]
fn numbers_beyond_64_bits_are_not_known() {
    let facts = facts(&["x1"]);
    assert_eq!(
        bound(&facts, Rules::Reference, "99999999999999999999_chatcmpl-x1", None, Some(true)),
        "run x1 via internal child - completion - external chatcmpl-x1"
    );
    assert_eq!(
        bound(&facts, Rules::Reference, "a", Some("cmpl-x1-99999999999999999999"), None),
        "run x1 via alias child - completion - external cmpl-x1-99999999999999999999"
    );
}

#[test]
fn a_request_without_an_id_is_passed_over() {
    let mut facts = facts(&["x1"]);
    facts.requests.get_mut(&b"x1"[..]).expect("it is there").request_id.clear();
    assert_eq!(bound(&facts, Rules::Reference, "chatcmpl-x1", None, None), "foreign via internal child -");
}
