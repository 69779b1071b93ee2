//! The JSON of the log (`reading.md` §6.2): a scanner that takes a line apart without building anything, and a
//! tree for the few small objects that need one.

mod number;
mod python;
mod scan;
mod value;

pub use number::loose_int;
pub use python::text_of;
pub(crate) use scan::Literal;
pub use scan::{Fault, Scalar, Scanner, Str};
pub use value::{Number, Value};
