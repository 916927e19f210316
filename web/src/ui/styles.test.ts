import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

// The tokens as the stylesheet has them, so that no colour can change without its contrast being looked at.
const css = readFileSync(new URL('./styles.css', import.meta.url), 'utf8');

const TEXT = 4.5;
// The outline of a control and the focus ring are not text.
const SHAPE = 3;

type Pair = [foreground: string, background: string, least: number];

const pairs: Pair[] = [
  ...['paper', 'surface', 'sunken'].flatMap((ground): Pair[] =>
    ['ink', 'muted', 'primary', 'danger', 'progress'].map((ink) => [ink, ground, TEXT]),
  ),
  ...['open', 'progress', 'closed', 'danger', 'primary'].map((tone): Pair => [tone, `${tone}-tint`, TEXT]),
  ...['open', 'primary', 'danger'].map((tone): Pair => ['ink', `${tone}-tint`, TEXT]),
  ...['sheet', 'word', 'picture', 'danger'].map((tone): Pair => [tone, 'surface', SHAPE]),
  ['on-primary', 'primary', TEXT],
  ['on-primary', 'primary-hover', TEXT],
  ['on-danger', 'danger', TEXT],
  ['on-danger', 'danger-hover', TEXT],
  ['rail-ink', 'rail', TEXT],
  ['rail-muted', 'rail', TEXT],
  ['rail-ink', 'rail-active', TEXT],
  ['control', 'surface', SHAPE],
  ['focus', 'surface', SHAPE],
  ['focus', 'paper', SHAPE],
];

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test.each(pairs)('%s on %s reaches %d', (foreground, background, least) => {
    expect(contrast(token(foreground, theme), token(background, theme))).toBeGreaterThanOrEqual(least);
  });
});

function token(name: string, theme: 'light' | 'dark'): string {
  const value = new RegExp(`--${name}: ([^;]+);`).exec(css)?.[1] ?? '';
  const colours = value.match(/#[0-9a-f]{6}/g) ?? [];
  const colour = theme === 'light' ? colours[0] : (colours[1] ?? colours[0]);
  if (colour === undefined) throw new Error(`The stylesheet has no colour ${name}.`);
  return colour;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
