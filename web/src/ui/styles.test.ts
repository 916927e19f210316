import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

// Reads the tokens from the stylesheet, so that the test checks the contrast of every changed color.
const css = readFileSync(new URL('./styles.css', import.meta.url), 'utf8');

const TEXT = 4.5;
// The outline of a control and the focus ring are not text.
const SHAPE = 3;

type Pair = [foreground: string, background: string, least: number];

const pairs: Pair[] = [
  ...['background', 'card', 'muted'].flatMap((ground): Pair[] =>
    ['foreground', 'muted-foreground', 'primary', 'danger', 'warning'].map((ink) => [ink, ground, TEXT]),
  ),
  ...['success', 'warning', 'neutral', 'danger', 'primary'].map((tone): Pair => [
    tone,
    `${tone}-subtle`,
    TEXT,
  ]),
  ...['success', 'primary', 'danger'].map((tone): Pair => ['foreground', `${tone}-subtle`, TEXT]),
  ...['file-sheet', 'file-document', 'file-image', 'danger'].map((tone): Pair => [tone, 'card', SHAPE]),
  ['primary-foreground', 'primary', TEXT],
  ['primary-foreground', 'primary-hover', TEXT],
  ['danger-foreground', 'danger', TEXT],
  ['danger-foreground', 'danger-hover', TEXT],
  ['sidebar-foreground', 'sidebar', TEXT],
  ['sidebar-muted-foreground', 'sidebar', TEXT],
  ['sidebar-foreground', 'sidebar-accent', TEXT],
  ['input', 'card', SHAPE],
  ['ring', 'card', SHAPE],
  ['ring', 'background', SHAPE],
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
