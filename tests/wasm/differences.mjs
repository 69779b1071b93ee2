/**
 * Where two answers differ, by the rules of the cases: objects by their sets of fields, arrays in order, numbers by
 * value. Numbers beyond 2⁵³ are compared as doubles here; the native test compares them exactly.
 *
 * @param {unknown} ours
 * @param {unknown} expected
 * @param {string} place
 * @returns {string[]}
 */
export function differences(ours, expected, place) {
  if (Array.isArray(ours) && Array.isArray(expected)) {
    if (ours.length !== expected.length)
      return [`${place}: ${ours.length} items, expected ${expected.length}`];
    return ours.flatMap((item, at) => differences(item, expected[at], `${place}[${at}]`));
  }
  if (isObject(ours) && isObject(expected)) {
    const names = new Set([...Object.keys(ours), ...Object.keys(expected)]);
    // The importing tool's own version is not compared.
    names.delete('source_version');
    return [...names].flatMap((name) => {
      if (!(name in ours)) return [`${place}/${name} is missing`];
      if (!(name in expected)) return [`${place}/${name} is not expected`];
      return differences(ours[name], expected[name], `${place}/${name}`);
    });
  }
  return Object.is(ours, expected) ? [] : [`${place}: ${show(ours)}, expected ${show(expected)}`];
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} value */
function show(value) {
  return JSON.stringify(value)?.slice(0, 160) ?? 'nothing';
}
