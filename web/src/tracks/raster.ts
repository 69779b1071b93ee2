/**
 * Opaque pixels of one canvas. Tracks have up to a few values a device pixel; writing the pixels and copying them at
 * once takes the same short time whatever the data is, which thousands of canvas calls do not.
 */

/** A colour as the canvas keeps it: red in the lowest byte. */
export type Ink = number;

const inks = new Map<string, Ink>();

/** `#rrggbb` to the number that is stored in a pixel. */
export function ink(hex: string): Ink {
  let known = inks.get(hex);
  if (known === undefined) {
    const rgb = Number.parseInt(hex.slice(1), 16);
    known = ((255 << 24) | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
    inks.set(hex, known);
  }
  return known;
}

export class Raster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint32Array;
  readonly bytes: Uint8ClampedArray<ArrayBuffer>;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    const buffer = new ArrayBuffer(width * height * 4);
    this.pixels = new Uint32Array(buffer);
    this.bytes = new Uint8ClampedArray(buffer);
  }

  fill(colour: Ink): void {
    this.pixels.fill(colour);
  }

  /** One row to every row: for backgrounds that only change along time. */
  rows(row: Uint32Array): void {
    for (let y = 0; y < this.height; y += 1) this.pixels.set(row, y * this.width);
  }

  column(x: number, y0: number, y1: number, colour: Ink): void {
    const end = Math.min(y1, this.height) * this.width + x;
    for (let at = Math.max(y0, 0) * this.width + x; at < end; at += this.width) this.pixels[at] = colour;
  }

  rect(x0: number, x1: number, y0: number, y1: number, colour: Ink): void {
    const left = Math.max(x0, 0);
    const right = Math.min(x1, this.width);
    if (right <= left) return;
    const bottom = Math.min(y1, this.height);
    for (let y = Math.max(y0, 0); y < bottom; y += 1) {
      const row = y * this.width;
      this.pixels.fill(colour, row + left, row + right);
    }
  }

  /** Slanted strokes, `stroke` of every `period` pixels; what is between them stays. */
  hatch(x0: number, x1: number, y0: number, y1: number, colour: Ink, period: number, stroke: number): void {
    const left = Math.max(x0, 0);
    const right = Math.min(x1, this.width);
    const bottom = Math.min(y1, this.height);
    for (let y = Math.max(y0, 0); y < bottom; y += 1) {
      const row = y * this.width;
      for (let x = left; x < right; x += 1) {
        if ((x + y) % period < stroke) this.pixels[row + x] = colour;
      }
    }
  }
}

/** A canvas with its raster, in device pixels. */
export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  raster = new Raster(1, 1);
  /** Device pixels a CSS pixel. */
  scale = 1;
  #image: ImageData | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (!context) throw new Error('this browser gives no 2D canvas');
    this.context = context;
  }

  /** True when the size changed. Sizes are CSS pixels. */
  resize(width: number, height: number, scale: number): boolean {
    const w = Math.max(1, Math.round(width * scale));
    const h = Math.max(1, Math.round(height * scale));
    this.scale = scale;
    if (this.raster.width === w && this.raster.height === h && this.#image) return false;
    this.canvas.width = w;
    this.canvas.height = h;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.raster = new Raster(w, h);
    this.#image = new ImageData(this.raster.bytes, w, h);
    return true;
  }

  /** Copies the raster to the canvas; text goes on top afterwards. */
  flush(): void {
    if (this.#image) this.context.putImageData(this.#image, 0, 0);
  }
}
