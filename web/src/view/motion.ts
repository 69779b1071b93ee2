/** Movement while keys are held: per frame, from the time that has passed, as in Perfetto. */

import type { KeyAction } from './keys.js';
import { span } from './range.js';
import type { ViewState } from './state.js';
import * as states from './state.js';

/** Share of the width a second, and how much closer a second gets. */
const PAN_PER_SECOND = 1.2;
const ZOOM_PER_SECOND = 6;
/** What one press does at once, in seconds of holding. */
export const PRESS_SECONDS = 0.09;

export function moved(view: ViewState, held: Iterable<KeyAction>, seconds: number): ViewState {
  let next = view;
  for (const action of held) {
    const at = next.cursor?.t ?? (next.range.t0 + next.range.t1) / 2;
    if (action === 'closer') next = states.zoom(next, at, ZOOM_PER_SECOND ** -seconds);
    else if (action === 'farther') next = states.zoom(next, at, ZOOM_PER_SECOND ** seconds);
    else if (action === 'left') next = states.pan(next, -span(next.range) * PAN_PER_SECOND * seconds);
    else if (action === 'right') next = states.pan(next, span(next.range) * PAN_PER_SECOND * seconds);
  }
  return next;
}
