//! `cargo xtask size`: the bytes the page loads before it shows anything, as a host that compresses sends them.

#![allow(clippy::print_stdout, reason = "the table is what the command is for")]

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{Failure, workspace};

/// Bytes, gzip.
const LIMIT: usize = 350_000;
/// Files outside the first load: loaded by a host page that embeds, never by index.html.
const NOT_FIRST: &[&str] = &["embed.html"];

/// One file of the page: sizes in bytes.
struct Loaded {
    name: String,
    raw: usize,
    gzip: usize,
}

/// Prints a table of html, js, css and wasm in web/dist; an error when their sum is over the limit.
pub(crate) fn check() -> Result<(), Failure> {
    let dist = workspace().join("web/dist");
    if !dist.join("index.html").exists() {
        return Err("web/dist has no page; build it first: npm run build".into());
    }
    let mut files = Vec::new();
    collect(&dist, &dist, &mut files)?;
    files.sort_by(|a, b| b.gzip.cmp(&a.gzip).then_with(|| a.name.cmp(&b.name)));

    println!("{:>9} {:>9}  first load", "bytes", "gzip");
    for Loaded { name, raw, gzip } in &files {
        println!("{raw:>9} {gzip:>9}  {name}");
    }
    let raw: usize = files.iter().map(|file| file.raw).sum();
    let gzip: usize = files.iter().map(|file| file.gzip).sum();
    println!("{raw:>9} {gzip:>9}  of {LIMIT} allowed");
    if gzip > LIMIT {
        return Err(format!("the page loads {} bytes more than it may", gzip - LIMIT).into());
    }
    Ok(())
}

fn collect(dist: &Path, folder: &Path, files: &mut Vec<Loaded>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(dist, &path, files)?;
        } else if is_first(&path) {
            let bytes = fs::read(&path)?;
            let name = path.strip_prefix(dist)?.display().to_string();
            files.push(Loaded { name, raw: bytes.len(), gzip: gzip(&bytes)? });
        }
    }
    Ok(())
}

fn is_first(path: &Path) -> bool {
    let is_code =
        path.extension().is_some_and(|kind| ["html", "js", "css", "wasm"].iter().any(|code| kind == *code));
    is_code && !path.file_name().is_some_and(|name| NOT_FIRST.iter().any(|not| name == *not))
}

/// Level 6, what web servers use when nobody says otherwise.
fn gzip(bytes: &[u8]) -> Result<usize, Failure> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}
