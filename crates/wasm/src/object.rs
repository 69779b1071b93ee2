//! Plain objects of the page's language.

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

/// Sets a property of a plain object.
pub(crate) fn set(object: &Object, name: &str, value: impl Into<JsValue>) -> Result<(), JsError> {
    match Reflect::set(object, &JsValue::from_str(name), &value.into()) {
        Ok(true) => Ok(()),
        _ => Err(JsError::new(&format!("the answer's field {name} cannot be set"))),
    }
}
