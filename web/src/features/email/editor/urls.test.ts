// Unit tests of the URL functions.
import { expect, test } from 'vitest';

import { normalizeLinkUrl, normalizeImageUrl, videoThumbnailUrl } from './urls';

test.each([
  ['https://a.com/x', 'https://a.com/x'],
  ['a.com.br/x?y=1', 'https://a.com.br/x?y=1'],
  ['ana@a.com', 'mailto:ana@a.com'],
  ['{{document.link}}', '{{document.link}}'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['palavra', null],
  ['', null],
])('the link URL of “%s” is %s', (text, address) => {
  expect(normalizeLinkUrl(text)).toBe(address);
});

test('image URLs require https', () => {
  expect(normalizeImageUrl('a.com/b.png')).toBe('https://a.com/b.png');
  expect(normalizeImageUrl('http://a.com/b.png')).toBeNull();
});

test.each([
  ['https://www.youtube.com/watch?v=abcdefghijk', 'https://img.youtube.com/vi/abcdefghijk/hqdefault.jpg'],
  ['https://youtu.be/abcdefghijk?t=3', 'https://img.youtube.com/vi/abcdefghijk/hqdefault.jpg'],
  ['https://vimeo.com/1234', null],
])('the thumbnail of %s is %s', (address, picture) => {
  expect(videoThumbnailUrl(address)).toBe(picture);
});
