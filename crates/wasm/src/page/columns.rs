//! Columns as typed arrays.

use js_sys::{Array, Float32Array, Float64Array, Object, Uint8Array, Uint32Array};
use stepscope_timeline::answers::{Lanes, RequestIds, Tracks};
use wasm_bindgen::prelude::*;

use crate::object::set;

macro_rules! typed {
    ($object:ident, $from:ident, $($name:literal: $array:ident $field:ident),* $(,)?) => {
        $(set(&$object, $name, $array::from($from.$field.as_slice()))?;)*
    };
}

/// The tracks of a window.
pub(crate) fn tracks(tracks: &Tracks) -> Result<JsValue, JsError> {
    let object = Object::new();
    set(&object, "t0", tracks.t0)?;
    set(&object, "binNs", tracks.bin_ns)?;
    set(&object, "bins", tracks.bins)?;
    typed!(object, tracks,
        "inSchedule": Float32Array in_schedule,
        "withinStep": Float32Array within_step,
        "between": Float32Array between,
        "paused": Float32Array paused,
        "idle": Float32Array idle,
        "stall": Uint8Array stall,
        "stepTime": Float32Array step_time,
        "steps": Uint32Array steps,
        "prefill": Float32Array prefill,
        "decode": Float32Array decode,
        "recompute": Float32Array recompute,
        "live": Float32Array live,
        "waiting": Float32Array waiting,
        "marks": Uint8Array marks,
        "coverage": Uint8Array coverage,
    );
    Ok(object.into())
}

/// Requests in lanes.
pub(crate) fn lanes(lanes: &Lanes) -> Result<JsValue, JsError> {
    let object = Object::new();
    set(&object, "t0", lanes.t0)?;
    set(&object, "binNs", lanes.bin_ns)?;
    set(&object, "bins", lanes.bins)?;
    typed!(object, lanes,
        "runKind": Uint8Array run_kind,
        "runLane": Uint32Array run_lane,
        "runT0": Float64Array run_t0,
        "runT1": Float64Array run_t1,
        "runExecution": Uint32Array run_execution,
        "tickLane": Uint32Array tick_lane,
        "tickT": Float64Array tick_t,
        "endKind": Uint8Array end_kind,
        "endLane": Uint32Array end_lane,
        "endT": Float64Array end_t,
        "labelLane": Uint32Array label_lane,
        "labelT0": Float64Array label_t0,
        "labelT1": Float64Array label_t1,
    );
    set(&object, "labels", texts(lanes.labels.iter().map(Some)))?;
    Ok(object.into())
}

/// The IDs of all requests.
pub(crate) fn request_ids(ids: &RequestIds) -> Result<JsValue, JsError> {
    let object = Object::new();
    set(&object, "randomization", ids.randomization.map_or(JsValue::NULL, JsValue::from))?;
    set(&object, "internal", texts(ids.internal.iter().map(Some)))?;
    set(&object, "external", texts(ids.external.iter().map(Option::as_ref)))?;
    Ok(object.into())
}

fn texts<'a>(texts: impl Iterator<Item = Option<&'a String>>) -> Array {
    texts.map(|text| text.map_or(JsValue::NULL, |text| JsValue::from_str(text))).collect()
}
