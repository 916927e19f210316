import { expect, test } from 'vitest';

// oxlint-disable-next-line eslint/no-restricted-imports -- the test compares the list with that of the server.
import serverTypes from '../../../../crates/portaria/src/stored_files/file_type.rs?raw';
import { SENT_EXTENSIONS, validateSentFile } from './sent-types';

test('SENT_EXTENSIONS › are those of the server', () => {
  const lists = [...serverTypes.matchAll(/_EXTENSIONS: &\[&str\] = &\[([^\]]+)\]/g)];
  const extensions = lists.flatMap(([, list = '']) => [...list.matchAll(/"(\w+)"/g)].map(([, one]) => one));
  expect(lists).toHaveLength(2);
  expect(SENT_EXTENSIONS).toEqual(new Set(extensions));
});

test.each([
  ['Extrato.PDF', 1, undefined],
  ['IMG_0042.heic', 1, undefined],
  [
    'programa.exe',
    1,
    expect.stringMatching(/^Este tipo de arquivo não é aceito\. Envie PDF, foto, .* ou ZIP\.$/),
  ],
  ['sem extensão', 1, expect.stringMatching(/^Este tipo de arquivo não é aceito\./)],
  ['vazio.exe', 0, 'O arquivo está vazio.'],
])('validateSentFile › %s of %i bytes', (name, size, message) => {
  expect(validateSentFile(new File([new Uint8Array(size)], name), 10)).toEqual(message);
});
