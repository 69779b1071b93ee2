//! How a block of columns crosses from a parse worker to the session: columns one after the other, each a length
//! and its little-endian values. Both ends are the same build, so there is no version.

use bytemuck::{Pod, Zeroable};

/// The bytes are not what the encoder wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl std::fmt::Display for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a block of columns is damaged")
    }
}

impl std::error::Error for Damaged {}

pub(crate) fn put_len(out: &mut Vec<u8>, len: usize) {
    out.extend_from_slice(&(len as u64).to_le_bytes());
}

pub(crate) fn put_slice<T: Pod>(out: &mut Vec<u8>, values: &[T]) {
    put_len(out, values.len());
    out.extend_from_slice(bytemuck::cast_slice(values));
}

pub(crate) fn put_pairs<T: Pod>(out: &mut Vec<u8>, pairs: &[(u32, T)]) {
    put_len(out, pairs.len());
    for (row, value) in pairs {
        out.extend_from_slice(&row.to_le_bytes());
        out.extend_from_slice(bytemuck::bytes_of(value));
    }
}

/// Reads what the encoder wrote, front to back.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Whether everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Damaged> {
        let (head, tail) = self.bytes.split_at_checked(len).ok_or(Damaged)?;
        self.bytes = tail;
        Ok(head)
    }

    pub(crate) fn len(&mut self) -> Result<usize, Damaged> {
        let bytes: [u8; 8] = self.take(8)?.try_into().map_err(|_| Damaged)?;
        usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| Damaged)
    }

    pub(crate) fn slice<T: Pod + Zeroable>(&mut self) -> Result<Vec<T>, Damaged> {
        let len = self.len()?;
        let bytes = self.take(len.checked_mul(size_of::<T>()).ok_or(Damaged)?)?;
        let mut values = vec![T::zeroed(); len];
        bytemuck::cast_slice_mut::<T, u8>(&mut values).copy_from_slice(bytes);
        Ok(values)
    }

    pub(crate) fn pairs<T: Pod + Zeroable>(&mut self) -> Result<Vec<(u32, T)>, Damaged> {
        let len = self.len()?;
        let size = 4 + size_of::<T>();
        let bytes = self.take(len.checked_mul(size).ok_or(Damaged)?)?;
        Ok(bytes
            .chunks_exact(size)
            .map(|pair| (bytemuck::pod_read_unaligned(&pair[..4]), bytemuck::pod_read_unaligned(&pair[4..])))
            .collect())
    }
}
