/** Sharper than this the eye does not see, and the pixels cost. */
const MOST_SCALE = 2;

/** CSS pixels that the labels and the scroll bar take of a wide window. */
const BESIDE = 152;

/** The size of the tracks' plots; a guess until they are laid out. */
export class Plot {
  /** CSS pixels. */
  width = Math.max(innerWidth - BESIDE, 200);
  /** CSS pixels of the lanes in sight. */
  lanesHeight = innerHeight / 2;

  /** Device pixels a CSS pixel. */
  get scale(): number {
    return Math.min(Math.max(devicePixelRatio, 1), MOST_SCALE);
  }
}
