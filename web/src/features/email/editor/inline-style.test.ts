import { expect, test } from 'vitest';

import { valueOf, withoutProperties, withProperty } from './inline-style';

const PICTURE = 'background: url(data:image/png;base64,AA==)';

test('a property is set, changed and taken away, and the rest stays', () => {
  expect(withProperty(null, 'color', 'red')).toBe('color: red');
  expect(withProperty('margin:0;COLOR:red', 'color', 'blue')).toBe('margin:0; color: blue');
  expect(withProperty(`${PICTURE}; color: red`, 'color', null)).toBe(PICTURE);
  expect(withProperty('color: red', 'color', null)).toBeNull();
  expect(withoutProperties('color: red; font-weight: bold; margin: 0', ['font-weight', 'margin'])).toBe(
    'color: red',
  );
});

test('a value is found as it was written last', () => {
  expect(valueOf('text-align: left; text-align : center', 'text-align')).toBe('center');
  expect(valueOf(PICTURE, 'background')).toBe('url(data:image/png;base64,AA==)');
  expect(valueOf('', 'color')).toBeNull();
});
