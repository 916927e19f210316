// Unit tests of the inline style functions.
import { expect, test } from 'vitest';

import { getProperty, removeProperties, setProperty } from './inline-style';

const PICTURE = 'background: url(data:image/png;base64,AA==)';

test('setting or removing a property keeps the other properties', () => {
  expect(setProperty(null, 'color', 'red')).toBe('color: red');
  expect(setProperty('margin:0;COLOR:red', 'color', 'blue')).toBe('margin:0; color: blue');
  expect(setProperty(`${PICTURE}; color: red`, 'color', null)).toBe(PICTURE);
  expect(setProperty('color: red', 'color', null)).toBeNull();
  expect(removeProperties('color: red; font-weight: bold; margin: 0', ['font-weight', 'margin'])).toBe(
    'color: red',
  );
});

test('the last declaration of a property wins', () => {
  expect(getProperty('text-align: left; text-align : center', 'text-align')).toBe('center');
  expect(getProperty(PICTURE, 'background')).toBe('url(data:image/png;base64,AA==)');
  expect(getProperty('', 'color')).toBeNull();
});
