//! Small structured values across the boundary.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

/// A value as a plain object: absent as null, maps as objects, all numbers as doubles.
pub(crate) fn object(value: &impl Serialize) -> Result<JsValue, JsError> {
    let serializer = serde_wasm_bindgen::Serializer::new()
        .serialize_missing_as_null(true)
        .serialize_maps_as_objects(true)
        .serialize_large_number_types_as_bigints(false);
    value.serialize(&serializer).map_err(|error| JsError::new(&format!("the answer cannot cross: {error}")))
}

/// A value of the page; `otherwise` says what is wrong with another one.
pub(crate) fn read<T: DeserializeOwned>(value: JsValue, otherwise: &str) -> Result<T, JsError> {
    serde_wasm_bindgen::from_value(value).map_err(|error| JsError::new(&format!("{otherwise}: {error}")))
}
