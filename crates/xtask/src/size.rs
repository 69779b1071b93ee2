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
/// What the page loads before it is asked for anything else.
const PAGE: &str = "index.html";

/// One file of the page: sizes in bytes.
struct Loaded {
    name: String,
    raw: usize,
    gzip: usize,
    /// What it says, as far as it is text.
    text: String,
}

/// Prints a table of html, js, css and wasm in web/dist; an error when what is loaded first is over the limit.
pub(crate) fn check() -> Result<(), Failure> {
    let dist = workspace().join("web/dist");
    if !dist.join(PAGE).exists() {
        return Err("web/dist has no page; build it first: npm run build".into());
    }
    let mut files = Vec::new();
    collect(&dist, &dist, &mut files)?;
    files.sort_by(|a, b| b.gzip.cmp(&a.gzip).then_with(|| a.name.cmp(&b.name)));
    let first = first_load(&files);
    let (first, later): (Vec<_>, Vec<_>) = files.iter().partition(|file| first.contains(&file.name.as_str()));

    println!("{:>9} {:>9}  first load", "bytes", "gzip");
    print(&first);
    let raw: usize = first.iter().map(|file| file.raw).sum();
    let gzip: usize = first.iter().map(|file| file.gzip).sum();
    println!("{raw:>9} {gzip:>9}  of {LIMIT} allowed");
    if !later.is_empty() {
        println!("{:>9} {:>9}  when it is asked for", "", "");
        print(&later);
    }
    if gzip > LIMIT {
        return Err(format!("the page loads {} bytes more than it may", gzip - LIMIT).into());
    }
    Ok(())
}

fn print(files: &[&Loaded]) {
    for Loaded { name, raw, gzip, .. } in files {
        println!("{raw:>9} {gzip:>9}  {name}");
    }
}

fn collect(dist: &Path, folder: &Path, files: &mut Vec<Loaded>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(dist, &path, files)?;
        } else if is_code(&path) {
            let bytes = fs::read(&path)?;
            let name = path.strip_prefix(dist)?.display().to_string();
            let gzip = gzip(&bytes)?;
            files.push(Loaded {
                name,
                raw: bytes.len(),
                gzip,
                text: String::from_utf8(bytes).unwrap_or_default(),
            });
        }
    }
    Ok(())
}

fn is_code(path: &Path) -> bool {
    path.extension().is_some_and(|kind| ["html", "js", "css", "wasm"].iter().any(|code| kind == *code))
}

/// Names of the page and of what it names, directly or through others; what is imported on demand comes later.
fn first_load(files: &[Loaded]) -> Vec<&str> {
    let mut first = vec![PAGE];
    let mut at = 0;
    while let Some(&name) = first.get(at) {
        at += 1;
        let text = files.iter().find(|file| file.name == name).map_or("", |file| file.text.as_str());
        for file in files {
            if loads(text, &file.name) && !first.contains(&file.name.as_str()) {
                first.push(&file.name);
            }
        }
    }
    first
}

/// Whether a text names a file other than to import it on demand: `import("./name.js")`.
fn loads(text: &str, name: &str) -> bool {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    text.match_indices(base).any(|(at, _)| {
        let before = text[..at].trim_end_matches(|letter: char| !"`'\"".contains(letter) && letter != '(');
        !before.trim_end_matches(['`', '\'', '"']).ends_with("import(")
    })
}

/// Level 6, what web servers use when nobody says otherwise.
fn gzip(bytes: &[u8]) -> Result<usize, Failure> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> Loaded {
        Loaded { name: name.to_owned(), raw: 0, gzip: 0, text: text.to_owned() }
    }

    #[test]
    fn what_is_imported_on_demand_is_not_loaded_first() {
        let files = [
            file(
                "index.html",
                "<script src=\"./assets/index-1.js\"></script><link href=\"./assets/a-2.css\">",
            ),
            file("embed.html", "<script src=\"./assets/index-1.js\"></script>"),
            file(
                "assets/index-1.js",
                "import{a}from\"./shared-3.js\";()=>import(`./menu-4.js`);new URL(`worker-5.js`,import.meta.url)",
            ),
            file("assets/a-2.css", ""),
            file("assets/shared-3.js", ""),
            file("assets/menu-4.js", "import\"./index-1.js\";new URL('made-6.wasm',import.meta.url)"),
            file("assets/worker-5.js", "new URL(\"read-7.wasm\",import.meta.url)"),
            file("assets/made-6.wasm", ""),
            file("assets/read-7.wasm", ""),
        ];
        let mut first = first_load(&files);
        first.sort_unstable();
        assert_eq!(
            first,
            [
                "assets/a-2.css",
                "assets/index-1.js",
                "assets/read-7.wasm",
                "assets/shared-3.js",
                "assets/worker-5.js",
                "index.html"
            ]
        );
    }
}
