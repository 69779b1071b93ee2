//! Bytes looked at eight at a time: a call to compare a few bytes costs more than the bytes do.

/// A word of exactly eight bytes, the first lowest.
#[inline]
pub(crate) fn u64_of(chunk: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(chunk);
    u64::from_le_bytes(word)
}

/// Whether two texts are the same bytes.
#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let (whole_a, rest_a) = a.split_at(a.len() & !7);
    let (whole_b, rest_b) = b.split_at(whole_a.len());
    whole_a.chunks_exact(8).zip(whole_b.chunks_exact(8)).all(|(a, b)| u64_of(a) == u64_of(b))
        && rest_a.iter().zip(rest_b).all(|(a, b)| a == b)
}
