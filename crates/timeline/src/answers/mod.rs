//! What the page is told: the shapes of `web/src/session/answers.ts`, field for field, in camelCase there.
//!
//! Fields named `t…` and `…_ns` are nanoseconds; `t…` are offsets on the epoch's monotonic clock from its first
//! stamp, as doubles. `None` is "not recorded" or "cannot be told", never zero.

mod drawn;
mod epoch;
mod request;
mod sentence;
mod stall;
mod step;

pub use drawn::{CursorCard, Lanes, Mark, Marks, Track, Tracks};
pub use epoch::{ConfigRow, Counter, Empty, EpochEntry, Overview, Pause, ProblemRow};
pub use request::{OwnRequest, RequestDetail, RequestIds, RequestOrder, RequestRow, RequestRows};
pub use sentence::{Fact, Level, Line, Link, Part, Parts, Tab};
pub use stall::{Explanation, StallRow};
pub use step::{MemberRow, Order, StepDetail, StepRow};
