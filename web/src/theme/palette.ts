/**
 * The two palettes, the only place that names a colour. Both hold for red-green blindness and for AA contrast
 * (palette.test.ts says how that is measured).
 */

/** Every colour by what it means, as `#rrggbb`. */
export interface Palette {
  /** Behind everything. */
  ground: string;
  /** Behind bars of controls and heads of tables. */
  raised: string;
  /** Under the pointer, and the chosen row. */
  chosen: string;
  rule: string;
  /** Edges of controls: 3 : 1 against the ground. */
  edge: string;
  ink: string;
  muted: string;
  link: string;
  focus: string;

  /** Stalls that are the host's, aborts, losses. */
  host: string;
  hostText: string;
  hostBand: string;
  /** Where a band begins and ends. */
  hostEdge: string;
  /** Words on a stall. */
  hostLabel: string;
  /** Stalls that may be the host's or the GPU's. */
  hostOrGpu: string;
  hostOrGpuText: string;
  hostOrGpuBand: string;
  hostOrGpuEdge: string;
  hostOrGpuLabel: string;
  warmUp: string;
  warmUpBand: string;
  warmUpEdge: string;
  good: string;

  schedule: string;
  within: string;
  between: string;
  paused: string;

  prefill: string;
  decode: string;
  /** Token completions inside a decode bar. */
  tick: string;
  recompute: string;
  preempted: string;
  queue: string;
  /** Waits inside a lifetime: the bar's own colour, fainter. */
  prefillWait: string;
  decodeWait: string;
  /** Names on bars, and the plate they stand on. */
  label: string;
  labelPlate: string;
  /** The end of a request. */
  end: string;

  live: string;
  waiting: string;
  overview: string;
  known: string;
  notKnown: string;
  silent: string;
}

export const light: Palette = {
  ground: '#fcfcfa',
  raised: '#f2f2ee',
  chosen: '#e8ecf3',
  rule: '#dcddd7',
  edge: '#8a9099',
  ink: '#1a1d21',
  muted: '#5a626c',
  link: '#1c56b0',
  focus: '#1c56b0',

  host: '#c92a20',
  hostText: '#b3241b',
  hostBand: '#f6dfdb',
  hostEdge: '#dc9c95',
  hostLabel: '#ffffff',
  hostOrGpu: '#c07f06',
  hostOrGpuText: '#855600',
  hostOrGpuBand: '#f5e9cf',
  hostOrGpuEdge: '#d3b26a',
  hostOrGpuLabel: '#16191d',
  warmUp: '#7b828c',
  warmUpBand: '#ecedea',
  warmUpEdge: '#c3c6c9',
  good: '#1b7255',

  schedule: '#7352c7',
  within: '#3f8f7d',
  between: '#a9b0b9',
  paused: '#5a626c',

  prefill: '#2a66cc',
  decode: '#2b8069',
  tick: '#185445',
  recompute: '#cf5a07',
  preempted: '#a13fc0',
  queue: '#9aa1ab',
  prefillWait: '#9dbbea',
  decodeWait: '#9ccbbd',
  label: '#ffffff',
  labelPlate: '#1b5446',
  end: '#16191d',

  live: '#7fb5a6',
  waiting: '#8a9099',
  overview: '#aeb5be',
  known: '#3f8f7d',
  notKnown: '#c07f06',
  silent: '#c92a20',
};

export const dark: Palette = {
  ground: '#14171b',
  raised: '#1c2026',
  chosen: '#28303b',
  rule: '#2c3138',
  edge: '#6c7580',
  ink: '#e6e8ea',
  muted: '#9ea7b1',
  link: '#8ab8ff',
  focus: '#8ab8ff',

  host: '#f8604f',
  hostText: '#ff8378',
  hostBand: '#3a1f20',
  hostEdge: '#8a423c',
  hostLabel: '#14171b',
  hostOrGpu: '#f0c24e',
  hostOrGpuText: '#e5b252',
  hostOrGpuBand: '#362b17',
  hostOrGpuEdge: '#7d6430',
  hostOrGpuLabel: '#14171b',
  warmUp: '#8b939e',
  warmUpBand: '#23272d',
  warmUpEdge: '#4b525b',
  good: '#55c39f',

  schedule: '#a58cf5',
  within: '#479b86',
  between: '#59626d',
  paused: '#b4bcc5',

  prefill: '#5d9bf3',
  decode: '#4aa88b',
  tick: '#23604e',
  recompute: '#f58a3a',
  preempted: '#d274ee',
  queue: '#727b86',
  prefillWait: '#2f5186',
  decodeWait: '#2c5d4f',
  label: '#f2f6f4',
  labelPlate: '#1d4a3d',
  end: '#f2f4f6',

  live: '#3f7667',
  waiting: '#868e99',
  overview: '#565e69',
  known: '#479b86',
  notKnown: '#f0c24e',
  silent: '#f8604f',
};
