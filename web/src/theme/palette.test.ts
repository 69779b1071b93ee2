/** The palettes hold: AA contrast in both themes, and colours that differ for people with red-green blindness. */

import { describe, expect, test } from 'vitest';
import { dark, light, type Palette } from './palette.js';

type Rgb = [number, number, number];

function linear(hex: string): Rgb {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast of WCAG 2. */
function contrast(a: string, b: string): number {
  const [x, y] = [luminance(linear(a)), luminance(linear(b))].sort((p, q) => q - p) as [number, number];
  return (x + 0.05) / (y + 0.05);
}

/** Full deuteranopia and protanopia, in linear light (Machado, Oliveira and Fernandes 2009). */
const BLIND: Record<string, [Rgb, Rgb, Rgb]> = {
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
};

function seen(hex: string, by: [Rgb, Rgb, Rgb] | null): Rgb {
  const colour = linear(hex);
  if (!by) return colour;
  return by.map((row) => row.reduce((sum, factor, i) => sum + factor * (colour[i] as number), 0)) as Rgb;
}

/** Distance in OKLab, times a hundred. */
function distance(a: Rgb, b: Rgb): number {
  const lab = ([r, g, b]: Rgb): Rgb => {
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
  };
  const [x, y] = [lab(a), lab(b)];
  return 100 * Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

/** Colours that stand side by side in one track and must not be taken for each other. */
const SIDE_BY_SIDE: [keyof Palette, keyof Palette][] = [
  ['host', 'within'],
  ['host', 'schedule'],
  ['host', 'between'],
  ['host', 'hostOrGpu'],
  ['hostOrGpu', 'within'],
  ['within', 'schedule'],
  ['prefill', 'decode'],
  ['prefill', 'recompute'],
  ['decode', 'recompute'],
  ['decode', 'preempted'],
  ['recompute', 'preempted'],
  ['known', 'notKnown'],
  ['host', 'decode'],
];

describe.each([
  ['light', light],
  ['dark', dark],
] as const)('%s', (_, palette) => {
  test.each(['ink', 'muted', 'link', 'hostText', 'hostOrGpuText', 'good'] as const)(
    '%s is AA text',
    (name) => {
      for (const behind of ['ground', 'raised', 'chosen'] as const) {
        expect(contrast(palette[name], palette[behind]), behind).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test('text on marks is AA', () => {
    expect(contrast(palette.label, palette.labelPlate)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.hostLabel, palette.host)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.hostOrGpuLabel, palette.hostOrGpu)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.ink, palette.hostBand)).toBeGreaterThanOrEqual(4.5);
  });

  test.each([
    'edge',
    'host',
    'hostOrGpu',
    'within',
    'schedule',
    'prefill',
    'decode',
    'recompute',
    'preempted',
    'known',
    'notKnown',
    'silent',
    'end',
    'focus',
  ] as const)('%s stands out from the ground', (name) => {
    expect(contrast(palette[name], palette.ground)).toBeGreaterThanOrEqual(3);
  });

  test.each(SIDE_BY_SIDE)('%s and %s differ, also for red-green blindness', (a, b) => {
    expect(distance(seen(palette[a], null), seen(palette[b], null))).toBeGreaterThan(10);
    for (const [name, by] of Object.entries(BLIND)) {
      expect(distance(seen(palette[a], by), seen(palette[b], by)), name).toBeGreaterThan(8);
    }
  });
});
