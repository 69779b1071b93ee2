//! A writer in a time of its own, on files that fail when told to.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use stepscope_recorder::files::{Entry, FileId, OpenMode};
use stepscope_recorder::{
    Encoder, Fields, FileSystem, FixedProcess, Kind, Limits, ManualClock, MemoryFiles, NotEncodable, Role,
    Writer, WriterLoop,
};

pub(crate) const EPOCH: &str = "hook/node-7-noboot/engine-812-1790000000000000000";
pub(crate) const SECOND: i64 = 1_000_000_000;

/// What a call of the file system shall do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Its work.
    None,
    /// Nothing, and fail.
    Fail,
    /// Write this many bytes and succeed.
    Short(usize),
    /// Write this many bytes and fail.
    Torn(usize),
    /// This and every later call: nothing, and fail. A write leaves this many bytes.
    Die(usize),
}

/// The calls of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    CreateDirAll,
    CreateDir,
    Open,
    Write,
    Length,
    Truncate,
    Close,
    Rename,
    Exists,
    RemoveFile,
    RemoveDirAll,
    List,
}

type Rule = Box<dyn FnMut(u64, Call, &str) -> Fault + Send>;

/// Files in memory whose calls fail by a rule, which is told the call's number from 0, the call, and the file's name
/// (for calls on an open file the name it was opened under).
pub(crate) struct Faulty {
    pub(crate) memory: MemoryFiles,
    pub(crate) calls: u64,
    pub(crate) rule: Rule,
    dead: bool,
    names: Vec<(FileId, String)>,
}

impl Default for Faulty {
    fn default() -> Self {
        let rule: Rule = Box::new(|_, _, _| Fault::None);
        Self { memory: MemoryFiles::new(), calls: 0, rule, dead: false, names: Vec::new() }
    }
}

impl Faulty {
    fn ask(&mut self, call: Call, name: &str) -> Fault {
        if self.dead {
            return Fault::Fail;
        }
        let fault = (self.rule)(self.calls, call, name);
        self.calls += 1;
        self.dead = matches!(fault, Fault::Die(_));
        fault
    }

    fn check(&mut self, call: Call, path: &Path) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match self.ask(call, &name) {
            Fault::None | Fault::Short(_) => Ok(()),
            Fault::Fail | Fault::Torn(_) | Fault::Die(_) => Err(ErrorKind::StorageFull.into()),
        }
    }

    fn name(&self, file: FileId) -> String {
        self.names
            .iter()
            .rev()
            .find(|(open, _)| *open == file)
            .map(|(_, name)| name.clone())
            .unwrap_or_default()
    }
}

impl FileSystem for Faulty {
    fn create_dir_all(&mut self, path: &Path) -> io::Result<()> {
        self.check(Call::CreateDirAll, path)?;
        self.memory.create_dir_all(path)
    }
    fn create_dir(&mut self, path: &Path) -> io::Result<()> {
        self.check(Call::CreateDir, path)?;
        self.memory.create_dir(path)
    }
    fn open(&mut self, path: &Path, mode: OpenMode) -> io::Result<(FileId, u64)> {
        self.check(Call::Open, path)?;
        let opened = self.memory.open(path, mode)?;
        self.names.push((opened.0, path.file_name().unwrap_or_default().to_string_lossy().into_owned()));
        Ok(opened)
    }
    fn write(&mut self, file: FileId, bytes: &[u8]) -> io::Result<usize> {
        let name = self.name(file);
        match self.ask(Call::Write, &name) {
            Fault::None => self.memory.write(file, bytes),
            Fault::Fail => Err(ErrorKind::StorageFull.into()),
            Fault::Short(count) => self.memory.write(file, &bytes[..count.min(bytes.len())]),
            Fault::Torn(count) | Fault::Die(count) => {
                self.memory.write(file, &bytes[..count.min(bytes.len())])?;
                Err(ErrorKind::StorageFull.into())
            }
        }
    }
    fn length(&mut self, file: FileId) -> io::Result<u64> {
        let name = self.name(file);
        self.check(Call::Length, Path::new(&name))?;
        self.memory.length(file)
    }
    fn truncate(&mut self, file: FileId, length: u64) -> io::Result<()> {
        let name = self.name(file);
        self.check(Call::Truncate, Path::new(&name))?;
        self.memory.truncate(file, length)
    }
    fn close(&mut self, file: FileId) -> io::Result<()> {
        let name = self.name(file);
        self.check(Call::Close, Path::new(&name))?;
        self.memory.close(file)
    }
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(Call::Rename, from)?;
        self.memory.rename(from, to)
    }
    fn exists(&mut self, path: &Path) -> bool {
        self.check(Call::Exists, path).is_ok() && self.memory.exists(path)
    }
    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        self.check(Call::RemoveFile, path)?;
        self.memory.remove_file(path)
    }
    fn remove_dir_all(&mut self, path: &Path) -> io::Result<()> {
        self.check(Call::RemoveDirAll, path)?;
        self.memory.remove_dir_all(path)
    }
    fn list(&mut self, path: &Path) -> io::Result<Vec<Entry>> {
        self.check(Call::List, path)?;
        self.memory.list(path)
    }
}

/// A record's fields of a chosen size, or none that can be encoded.
pub(crate) enum Text<'a> {
    /// `{"t":"…"}` with this text.
    Of(&'a str),
    /// `{"t":"…"}` of exactly this many bytes in all.
    Size(usize),
    /// The same, but larger than its size limit only when encoded.
    Unforeseen(usize),
    /// Refuses to be encoded.
    NotEncodable,
    /// Encodes to something else than an object.
    NoObject,
}

impl Fields for Text<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        match self {
            Text::Of(text) => {
                out.raw("{\"t\":").string(text).raw("}");
            }
            Text::Size(size) | Text::Unforeseen(size) => {
                out.raw("{\"t\":").string(&"x".repeat(size - 8)).raw("}");
            }
            Text::NotEncodable => return Err(NotEncodable),
            Text::NoObject => {
                out.raw("[1]");
            }
        }
        Ok(())
    }

    fn surely_exceeds(&self, limit: usize) -> bool {
        matches!(self, Text::Size(size) if size - 8 > limit)
    }
}

/// A writer turned by hand.
pub(crate) struct Rig {
    pub(crate) writer: Writer,
    pub(crate) epoch: WriterLoop<Faulty>,
    pub(crate) clock: Arc<ManualClock>,
}

impl Rig {
    pub(crate) fn new(limits: Limits) -> Self {
        Self::on(Faulty::default(), limits)
    }

    pub(crate) fn on(files: Faulty, limits: Limits) -> Self {
        Self::create(files, limits).expect("an epoch")
    }

    pub(crate) fn create(files: Faulty, limits: Limits) -> io::Result<Self> {
        let clock = Arc::new(ManualClock::new(1_790_000_000 * SECOND, 5 * SECOND));
        let process = FixedProcess { pid: 812, host: "node-7".into(), boot_id: None, key: [7; 32] };
        let (writer, epoch) = Writer::create(
            files,
            Path::new("hook"),
            Role::Engine,
            limits,
            Arc::clone(&clock) as _,
            Arc::new(process),
        )?;
        Ok(Self { writer, epoch, clock })
    }

    pub(crate) fn emit(&self, text: &str) {
        self.writer.emit(Kind::Alias, &Text::Of(text));
    }

    /// Moves the clock on to the next beat and lets the loop turn.
    pub(crate) fn beat(&mut self) {
        use stepscope_recorder::Clock;
        self.clock.advance(self.epoch.next_beat_mono_ns() - self.clock.mono_ns());
        self.epoch.turn();
    }

    pub(crate) fn files(&mut self) -> &mut Faulty {
        self.epoch.files_mut()
    }

    pub(crate) fn set_rule(&mut self, rule: impl FnMut(u64, Call, &str) -> Fault + Send + 'static) {
        self.files().rule = Box::new(rule);
    }

    pub(crate) fn heal(&mut self) {
        self.set_rule(|_, _, _| Fault::None);
    }

    pub(crate) fn touch(&mut self, name: &str) {
        let (file, _) = self.files().memory.open(&at(name), OpenMode::CreateNew).expect("a new file");
        self.files().memory.close(file).expect("open");
    }

    /// Names in the epoch's directory, without the key.
    pub(crate) fn names(&mut self) -> Vec<String> {
        let paths = self.files().memory.paths().map(Path::to_owned).collect::<Vec<_>>();
        let names = paths.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        names.filter(|name| name != "key").collect()
    }

    pub(crate) fn text(&mut self, name: &str) -> String {
        String::from_utf8(self.files().memory.read(&at(name)).unwrap_or_default().to_vec()).expect("ASCII")
    }

    /// All complete lines of all segments as JSON, in order; a line that is none is a failure.
    pub(crate) fn records(&mut self) -> Vec<Value> {
        records_in(&self.files().memory)
    }

    /// The records as `kind` or, for one of [`Text`], its text.
    pub(crate) fn shape(&mut self) -> Vec<String> {
        let name =
            |record: &Value| record["t"].as_str().or(record["kind"].as_str()).unwrap_or("?").to_owned();
        self.records().iter().map(name).collect()
    }

    pub(crate) fn status(&mut self) -> Value {
        serde_json::from_str(&self.text("status.json")).expect("a status")
    }

    pub(crate) fn dropped(&self) -> Vec<(&'static str, u64)> {
        self.writer.counters().dropped
    }

    pub(crate) fn errors(&self) -> u64 {
        self.writer.counters().errors
    }
}

pub(crate) fn at(name: &str) -> PathBuf {
    Path::new(EPOCH).join(name)
}

/// The records of all segments in order; the incomplete last line of an open segment is left out.
pub(crate) fn records_in(files: &MemoryFiles) -> Vec<Value> {
    let segments = files.paths().filter(|path| path.to_string_lossy().contains(".jsonl"));
    let mut records = Vec::new();
    for path in segments {
        let text = String::from_utf8(files.read(path).unwrap_or_default().to_vec()).expect("ASCII");
        let complete = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            assert_eq!(complete, text, "{} is torn", path.display());
        }
        for line in complete.lines() {
            records.push(serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
        }
    }
    records
}

/// Asserts that the records are numbered 0, 1, 2, … in file order.
pub(crate) fn assert_numbered(records: &[Value]) {
    for (place, record) in records.iter().enumerate() {
        assert_eq!(record["seq"], place, "{record}");
    }
}
