import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

// Contrast of the design tokens (WCAG 2.2, success criteria 1.4.3 and 1.4.11), read from the stylesheet.
const css = readFileSync(new URL('./styles.css', import.meta.url), 'utf8');

/** Minimum contrast of text. */
const TEXT = 4.5;
/** Minimum contrast of icons, outlines of controls and the focus ring. */
const SHAPE = 3;

type Pair = [foreground: string, background: string, minimum: number];

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
  ...['1', '2', '3', '4', '5', '6'].map((number): Pair => [`chart-${number}`, 'card', SHAPE]),
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
  test.each(pairs)('contrast of %s on %s is at least %d', (foreground, background, minimum) => {
    expect(contrast(token(foreground, theme), token(background, theme))).toBeGreaterThanOrEqual(minimum);
  });
});

function token(name: string, theme: 'light' | 'dark'): string {
  const value = new RegExp(`--${name}: ([^;]+);`).exec(css)?.[1] ?? '';
  const colors = value.match(/#[0-9a-f]{6}/g) ?? [];
  const color = theme === 'light' ? colors[0] : (colors[1] ?? colors[0]);
  if (color === undefined) throw new Error(`The stylesheet has no color ${name}.`);
  return color;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
