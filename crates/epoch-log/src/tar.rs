//! Takes a tar archive apart as its bytes come, so that a dropped archive is never held whole. Regular files only:
//! ustar, with long names by pax or GNU headers.

/// A piece of a regular file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The file's path in the archive, without a leading `./`.
    pub path: String,
    /// The file's size, bytes.
    pub size: u64,
    /// The next bytes of it.
    pub bytes: Vec<u8>,
    /// Whether these are the last.
    pub done: bool,
}

/// Why the bytes are no tar archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotTar {
    /// Byte offset of the header in question.
    pub at: u64,
}

impl std::fmt::Display for NotTar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a tar archive: the header at byte {} is damaged", self.at)
    }
}

impl std::error::Error for NotTar {}

const BLOCK: usize = 512;
/// Names longer than any file system takes are damage.
const LONGEST_NAME_BLOCK: u64 = 1 << 20;

#[derive(Debug)]
enum State {
    Header,
    File {
        path: String,
        size: u64,
        left: u64,
    },
    /// An entry that only describes the next one: its type and its bytes left.
    Description {
        kind: u8,
        left: u64,
        bytes: Vec<u8>,
    },
    Skip {
        left: u64,
    },
    Ended,
}

/// Takes bytes in, hands pieces of files out.
#[derive(Debug)]
pub struct TarReader {
    pending: Vec<u8>,
    read: usize,
    offset: u64,
    state: State,
    /// To be skipped now.
    padding: u64,
    /// To be skipped after the body that is being read.
    padding_after: u64,
    next_path: Option<String>,
    next_size: Option<u64>,
}

impl Default for TarReader {
    fn default() -> Self {
        Self::new()
    }
}

impl TarReader {
    /// A reader at the start of an archive.
    pub fn new() -> Self {
        Self {
            pending: Vec::new(),
            read: 0,
            offset: 0,
            state: State::Header,
            padding: 0,
            padding_after: 0,
            next_path: None,
            next_size: None,
        }
    }

    /// Takes the next bytes of the archive; then ask for [`TarReader::next_piece`] until there is none.
    pub fn push(&mut self, chunk: &[u8]) {
        self.pending.drain(..self.read);
        self.read = 0;
        self.pending.extend_from_slice(chunk);
    }

    /// Whether the archive was read to its end mark or stands between two entries.
    pub fn is_complete(&self) -> bool {
        matches!(self.state, State::Ended | State::Header) && self.padding == 0 && self.next_path.is_none()
    }

    fn take(&mut self, wanted: u64) -> &[u8] {
        let available = self.pending.len() - self.read;
        let len = usize::try_from(wanted).map_or(available, |wanted| wanted.min(available));
        let start = self.read;
        self.read += len;
        self.offset += len as u64;
        &self.pending[start..start + len]
    }

    /// The next piece of a regular file; `None` when more bytes are needed, or the archive has ended.
    ///
    /// # Errors
    /// [`NotTar`] when a header is damaged; nothing more is to be had then.
    pub fn next_piece(&mut self) -> Result<Option<Piece>, NotTar> {
        loop {
            if self.padding > 0 {
                let skipped = self.take(self.padding).len() as u64;
                self.padding -= skipped;
                if self.padding > 0 {
                    return Ok(None);
                }
            }
            match std::mem::replace(&mut self.state, State::Header) {
                State::Ended => {
                    self.state = State::Ended;
                    self.read = self.pending.len();
                    return Ok(None);
                }
                State::Header => {
                    if self.pending.len() - self.read < BLOCK {
                        return Ok(None);
                    }
                    self.header()?;
                }
                State::Skip { left } => {
                    let left = left - self.take(left).len() as u64;
                    if left > 0 {
                        self.state = State::Skip { left };
                        return Ok(None);
                    }
                    self.padding = self.padding_after;
                }
                State::Description { kind, left, mut bytes } => {
                    let taken = self.take(left);
                    bytes.extend_from_slice(taken);
                    let left = left - taken.len() as u64;
                    if left > 0 {
                        self.state = State::Description { kind, left, bytes };
                        return Ok(None);
                    }
                    self.padding = self.padding_after;
                    self.describe(kind, &bytes);
                }
                State::File { path, size, left } => {
                    let bytes = self.take(left).to_vec();
                    if bytes.is_empty() && left > 0 {
                        self.state = State::File { path, size, left };
                        return Ok(None);
                    }
                    let left = left - bytes.len() as u64;
                    if left > 0 {
                        self.state = State::File { path: path.clone(), size, left };
                    } else {
                        self.padding = self.padding_after;
                    }
                    return Ok(Some(Piece { path, size, bytes, done: left == 0 }));
                }
            }
        }
    }

    fn header(&mut self) -> Result<(), NotTar> {
        let at = self.offset;
        let mut block = [0; BLOCK];
        block.copy_from_slice(self.take(BLOCK as u64));
        if block.iter().all(|&byte| byte == 0) {
            self.state = State::Ended;
            return Ok(());
        }
        let sum: u64 = block
            .iter()
            .enumerate()
            .map(|(at, &byte)| if (148..156).contains(&at) { u64::from(b' ') } else { u64::from(byte) })
            .sum();
        let size = number(&block[124..136]);
        let (Some(size), true) = (size, number(&block[148..156]) == Some(sum)) else {
            self.state = State::Ended;
            return Err(NotTar { at });
        };
        let kind = block[156];
        let described = !matches!(kind, b'x' | b'g' | b'L' | b'K');
        let size = if described { self.next_size.take().unwrap_or(size) } else { size };
        // Bodies fill whole blocks; the rest of the last one is skipped when the body has been read.
        self.padding_after = size.wrapping_neg() % BLOCK as u64;
        match kind {
            0 | b'0' | b'7' => {
                let path = self.next_path.take().unwrap_or_else(|| path_of(&block));
                let path = path.trim_start_matches("./").to_owned();
                self.state = State::File { path, size, left: size };
            }
            b'x' | b'L' if size <= LONGEST_NAME_BLOCK => {
                self.state = State::Description { kind, left: size, bytes: Vec::new() };
            }
            _ => {
                if described {
                    self.next_path = None;
                }
                self.state = State::Skip { left: size };
            }
        }
        Ok(())
    }

    fn describe(&mut self, kind: u8, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        if kind == b'L' {
            self.next_path = Some(text.trim_end_matches('\0').to_owned());
            return;
        }
        for record in text.split('\n') {
            let Some((name, value)) = record.split_once(' ').and_then(|(_, pair)| pair.split_once('='))
            else {
                continue;
            };
            match name {
                "path" => self.next_path = Some(value.to_owned()),
                "size" => self.next_size = value.parse().ok(),
                _ => {}
            }
        }
    }
}

/// A number of a header: octal digits, or binary when the first bit is set.
fn number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        let (head, tail) = field.split_at(field.len() - 8);
        let fits = head[0] == 0x80 && head[1..].iter().all(|&byte| byte == 0);
        return fits.then(|| tail.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)));
    }
    let text = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}

fn path_of(block: &[u8; BLOCK]) -> String {
    let text = |field: &[u8]| {
        let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
        String::from_utf8_lossy(&field[..end]).into_owned()
    };
    let (name, prefix) = (text(&block[..100]), text(&block[345..500]));
    if &block[257..262] == b"ustar" && !prefix.is_empty() { format!("{prefix}/{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, kind: u8, size: usize) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
        block[156] = kind;
        block[257..263].copy_from_slice(b"ustar\0");
        block[148..156].fill(b' ');
        let sum: u64 = block.iter().map(|&byte| u64::from(byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }

    fn entry(name: &str, kind: u8, body: &[u8]) -> Vec<u8> {
        let mut out = header(name, kind, body.len());
        out.extend_from_slice(body);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
        out
    }

    fn files(archive: &[u8], chunk: usize) -> Result<Vec<(String, Vec<u8>)>, NotTar> {
        let mut reader = TarReader::new();
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        let mut open = false;
        for chunk in archive.chunks(chunk) {
            reader.push(chunk);
            while let Some(piece) = reader.next_piece()? {
                if !open {
                    files.push((piece.path.clone(), Vec::new()));
                }
                files.last_mut().expect("a file").1.extend_from_slice(&piece.bytes);
                open = !piece.done;
            }
        }
        assert!(reader.is_complete() && !open);
        Ok(files)
    }

    #[test]
    fn files_come_out_whole_however_the_archive_is_cut() {
        let long = format!("{}/000000.jsonl", "x".repeat(300));
        let record = format!("path={long}\n");
        let pax = format!("{} {record}", record.len() + 4);
        let mut archive = entry("./a/", b'5', b"");
        archive.extend(entry("./a/000000.jsonl", b'0', &[7; 1300]));
        archive.extend(entry("a/empty", b'0', b""));
        archive.extend(entry("PaxHeader", b'x', pax.as_bytes()));
        archive.extend(entry("short", b'0', &[8; 512]));
        archive.extend(entry("././@LongLink", b'L', format!("{long}2\0").as_bytes()));
        archive.extend(entry("short", b'0', b"two"));
        archive.resize(archive.len() + 2 * BLOCK, 0);
        let expected = vec![
            ("a/000000.jsonl".to_owned(), vec![7; 1300]),
            ("a/empty".to_owned(), vec![]),
            (long.clone(), vec![8; 512]),
            (format!("{long}2"), b"two".to_vec()),
        ];
        for chunk in [1, 7, 511, 512, 513, 100_000] {
            assert_eq!(files(&archive, chunk), Ok(expected.clone()), "{chunk}");
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let mut reader = TarReader::new();
        reader.push(&[b'x'; 600]);
        assert_eq!(reader.next_piece(), Err(NotTar { at: 0 }));
        assert_eq!(reader.next_piece(), Ok(None));
    }
}
