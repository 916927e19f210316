import { expect, test } from 'vitest';

import { DARK_GROUND, mix, parseColor, TINT, WHITE } from '~/lib/office-colors';

import { contrast, findChosenColor, readableColors } from './readable-colors';

test.each(['#0e5a6b', '#ffd600', '#ff0000', '#000000', '#ffffff', '#777777', '#00ff00', '#1b1f23'])(
  'texts in %s are readable in both themes',
  (chosen) => {
    const colors = readableColors(chosen);
    const [light, dark] = [parseColor(colors?.light ?? ''), parseColor(colors?.dark ?? '')];
    if (!light || !dark) throw new Error('no colors');
    for (const ground of [WHITE, [0xf3, 0xf3, 0xef] as const, mix(light, WHITE, TINT.light)]) {
      expect(contrast(light, ground)).toBeGreaterThanOrEqual(4.5);
    }
    for (const ground of [DARK_GROUND, mix(dark, DARK_GROUND, TINT.dark), [0x0b, 0x10, 0x14] as const]) {
      expect(contrast(dark, ground)).toBeGreaterThanOrEqual(4.5);
    }
  },
);

test('a readable color stays as it is', () => {
  expect(readableColors('#0E5A6B')?.light).toBe('#0e5a6b');
  expect(readableColors('#6cc3d5')?.dark).toBe('#6cc3d5');
  expect(readableColors('azul')).toBeNull();
});

test.each(['#0e5a6b', '#ffd600', '#ffff00', '#7a1f3d', '#000000', '#ffffff'])(
  'findChosenColor › finds %s in its readable forms',
  (chosen) => {
    const colors = readableColors(chosen);
    expect(colors && findChosenColor(colors)).toBe(chosen);
  },
);
