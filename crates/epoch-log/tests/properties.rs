//! What holds for every log, also one that no recorder would write.

use proptest::collection::vec;
use proptest::prelude::*;
use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{Block, EpochParts, ReadOptions, SegmentBlock, SegmentParser, assemble};

const EPOCH: &str = "engine-7-100";

/// A JSON value as text, also odd ones.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("NaN".to_owned()),
        Just("1e999".to_owned()),
        Just("-0".to_owned()),
        Just("99999999999999999999".to_owned()),
        any::<i64>().prop_map(|value| value.to_string()),
        (0..40_i64).prop_map(|value| value.to_string()),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(|value| format!("{value:?}")),
        "[ -~]{0,12}".prop_map(|text| Value::from(text.as_str()).to_json()),
        Just("\"\\ud800\"".to_owned()),
        Just("\"\\ud83d\\ude00 é\"".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(" ,"))),
            vec(("[a-c]{0,2}", inner), 0..4).prop_map(|fields| {
                let fields: Vec<_> =
                    fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    })
}

/// One line: mostly a record, with fields of any type in any order, sometimes doubled.
fn line() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        Just("hello"),
        Just("alias"),
        Just("enqueued"),
        Just("scheduled"),
        Just("completed"),
        Just("terminal"),
        Just("pause"),
        Just("cache_reset"),
        Just("heartbeat"),
        Just("goodbye"),
        Just("novelty"),
    ];
    let field = prop_oneof![
        Just("internal"),
        Just("iteration"),
        Just("wall_ns"),
        Just("mono_ns"),
        Just("wall_after_ns"),
        Just("start_mono_ns"),
        Just("total_tokens"),
        Just("preempted"),
        Just("pause_state"),
        Just("running"),
        Just("dropped"),
        Just("reserved"),
        Just("seq"),
        Just("later_field"),
    ];
    let member = vec(
        (
            prop_oneof![
                Just("internal"),
                Just("scheduled"),
                Just("phase"),
                Just("outcome"),
                Just("retained")
            ],
            json_text(),
        ),
        0..5,
    )
    .prop_map(|fields| {
        let fields: Vec<_> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", fields.join(","))
    });
    let members = vec(member, 0..3).prop_map(|members| format!("\"members\":[{}]", members.join(",")));
    let record = (kind, 0..30_i64, vec((field, json_text()), 0..6), members, any::<prop::sample::Index>())
        .prop_map(|(kind, seq, fields, members, turn)| {
            let mut all = vec![
                "\"format\":\"stormlog.vllm_hook/1\"".to_owned(),
                format!("\"kind\":\"{kind}\""),
                format!("\"epoch\":\"{EPOCH}\""),
                format!("\"seq\":{seq}"),
                members,
            ];
            all.extend(fields.iter().map(|(name, value)| format!("\"{name}\":{value}")));
            let by = turn.index(all.len());
            all.rotate_left(by);
            format!("{{{}}}", all.join(","))
        });
    prop_oneof![8 => record, 1 => json_text(), 1 => "[ -~]{0,20}"]
}

fn parse(file: &str, bytes: &[u8], cuts: &[usize]) -> SegmentBlock {
    let mut parser = SegmentParser::new(file, EPOCH);
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).for_each(|pair| parser.push(&bytes[pair[0]..pair[1]]));
    parser.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any split of the bytes into chunks, and the way through the wire, give the same block.
    #[test]
    fn chunks_do_not_matter(lines in vec(line(), 0..20), tail in "[ -~]{0,9}", cuts in vec(any::<usize>(), 0..8)) {
        let bytes = [lines.join("\n"), tail].join("\n").into_bytes();
        let whole = parse("000000.jsonl", &bytes, &[]);
        let cut = parse("000000.jsonl", &bytes, &cuts);
        prop_assert_eq!(&cut, &whole);
        prop_assert_eq!(SegmentBlock::decode(&whole.encode()), Ok(whole));
    }

    /// Segments may be parsed in any order and their blocks stored elsewhere; what counts is where they stand.
    #[test]
    fn order_of_completion_does_not_matter(
        segments in vec(vec(line(), 0..8), 1..5),
        order in any::<prop::sample::Index>(),
    ) {
        let parse = |at: usize| {
            let mut bytes = segments[at].join("\n").into_bytes();
            bytes.push(b'\n');
            parse(&format!("{at:06}.jsonl"), &bytes, &[])
        };
        let epoch = |blocks: Vec<Block>| {
            let parts = EpochParts { epoch: EPOCH.to_owned(), blocks, ..EpochParts::default() };
            assemble(parts, &ReadOptions::default())
        };
        let in_turn = epoch((0..segments.len()).map(|at| parse(at).into()).collect());
        let first = order.index(segments.len());
        let stored = |at: usize| {
            let bytes = parse(at).encode();
            Block::stored(&bytes.clone(), || bytes).expect("it was encoded just now")
        };
        let mut finished: Vec<(usize, Block)> =
            (first..segments.len()).chain(0..first).map(|at| (at, stored(at))).collect();
        finished.sort_by_key(|(at, _)| *at);
        let late = epoch(finished.into_iter().map(|(_, block)| block).collect());
        prop_assert_eq!(&late.log, &in_turn.log);
        prop_assert_eq!(late.summary().to_json(), in_turn.summary().to_json());

        // The numbers are distinct and rise, and the rows of every kind are as many as its records.
        prop_assert!(in_turn.log.seq.windows(2).all(|pair| pair[0] < pair[1]));
        let count = |kind: stepscope_epoch_log::Kind| in_turn.log.kind.iter().filter(|k| **k == kind as u8).count();
        prop_assert_eq!(count(stepscope_epoch_log::Kind::Scheduled), in_turn.log.scheduled.members.len());
        prop_assert_eq!(count(stepscope_epoch_log::Kind::Heartbeat), in_turn.log.heartbeat.last_seq.len());
    }

    /// No bytes make the parser panic, and every line is either a record, blank, or named in a problem.
    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..400), cuts in vec(any::<usize>(), 0..4)) {
        let block = parse("000000.jsonl.part", &bytes, &cuts);
        let blank = |line: &&[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C));
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let read = lines[..lines.len() - 1].iter().filter(|line| !blank(line)).count();
        let errors = block.problems.iter().filter(|problem| problem.kind.is_reader_error()).count();
        prop_assert_eq!(block.tables.seq.len() + errors, read);
    }

    /// A damaged block is refused, not believed.
    #[test]
    fn damaged_blocks_are_refused(lines in vec(line(), 0..5), at in any::<prop::sample::Index>()) {
        let block = parse("000000.jsonl", (lines.join("\n") + "\n").as_bytes(), &[]);
        let encoded = block.encode();
        prop_assert!(SegmentBlock::decode(&encoded[..at.index(encoded.len())]).is_err());
    }

    /// The scanner and a general JSON library agree on what is JSON, outside the dialect's own freedoms.
    #[test]
    fn agrees_with_a_general_parser(text in json_text(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = text.into_bytes();
        let at = cut.index(bytes.len());
        for candidate in [bytes.clone(), { bytes[at] = byte; bytes.clone() }, bytes[..at].to_vec()] {
            let free = ["NaN", "Infinity", "\\ud"];
            let dialect = |text: &str| free.iter().any(|word| text.contains(word)) || text.starts_with('\u{feff}');
            match std::str::from_utf8(&candidate) {
                Ok(text) if dialect(text) => {}
                _ => {
                    let general = serde_json::from_slice::<serde_json::Value>(&candidate);
                    // A float that overflows is infinite here and the end of the matter there.
                    if general.as_ref().is_err_and(|error| error.to_string().starts_with("number out of range")) {
                        continue;
                    }
                    let shown = String::from_utf8_lossy(&candidate);
                    prop_assert_eq!(Value::parse(&candidate).is_ok(), general.is_ok(), "{:?}", shown);
                }
            }
        }
    }
}
