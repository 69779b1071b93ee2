//! Pseudonyms of other clients' requests (`reduce.md` §8): the same within a run, of no use outside it.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use stepscope_epoch_log::Key;

/// Makes the pseudonyms of one epoch in one run.
#[derive(Clone)]
pub(crate) struct Pseudonyms(Hmac<Sha256>);

/// 16 lowercase hex digits.
pub(crate) type Pseudonym = [u8; 16];

fn keyed(key: &[u8]) -> Option<Hmac<Sha256>> {
    // A key of any length is accepted.
    Hmac::<Sha256>::new_from_slice(key).ok()
}

impl Pseudonyms {
    /// P1; `run_id` is WTF-8, which is UTF-8 unless it holds an unpaired surrogate.
    pub(crate) fn new(key: &Key, run_id: &[u8]) -> Option<Self> {
        let derived = keyed(key.secret())?.chain_update(run_id).finalize().into_bytes();
        keyed(&derived).map(Self)
    }

    /// The pseudonym of an execution key. WTF-8 is the form P3 asks for.
    pub(crate) fn of(&self, key: &[u8]) -> Pseudonym {
        let code = self.0.clone().chain_update(key).finalize().into_bytes();
        let mut hex = Pseudonym::default();
        for (pair, byte) in hex.chunks_exact_mut(2).zip(code) {
            pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
            pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
        }
        hex
    }
}
