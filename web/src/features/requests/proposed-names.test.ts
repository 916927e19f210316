import { expect, test } from 'vitest';

import type { SentFile } from './api/requests';
import { proposeNames, subjectOf } from './proposed-names';

const file = (name: string, note: string | null = null): SentFile => ({
  id: name,
  name,
  note,
  file_url: '',
  size: 1,
  created_at: '',
  refused_at: null,
  filed_at: null,
});

test.each([
  'image.jpg',
  'image (2).jpg',
  'IMG_0042.HEIC',
  'IMG-20261120-WA0003.jpg',
  '20261120_101010.jpg',
  '1795170610123.jpg',
  'PXL_20261120_101010123.MP.jpg',
  'WhatsApp Image 2026-11-20 at 10.10.10.jpeg',
  '6F1E2D3C-0A1B-4C5D-8E9F-001122334455.jpeg',
  'Foto.png',
  'VID_20261120_101010.mp4',
  'Captura de tela 2026-11-20 101010.png',
])('proposeNames › %s says nothing', (name) => {
  expect(proposeNames([file(name)], 'RG e CPF')).toEqual({ [name]: 'RG e CPF' });
});

test.each([
  ['RG frente.jpg', 'RG frente'],
  ['Foto do balcão.jpg', 'Foto do balcão'],
  ['2026-11.pdf', '2026-11'],
  ['image.pdf', 'image'],
])('proposeNames › %s keeps its name', (name, own) => {
  expect(proposeNames([file(name)], 'RG e CPF')).toEqual({ [name]: own });
});

test('proposeNames › numbers the files that share a subject, and without one keeps the names', () => {
  const files = ['IMG_1.jpg', 'verso do RG.jpg', 'IMG_2.jpg'].map((name) => file(name));
  expect(Object.values(proposeNames(files, 'RG'))).toEqual(['RG', 'verso do RG', 'RG 2']);
  expect(Object.values(proposeNames(files, null))).toEqual(['IMG_1', 'verso do RG', 'IMG_2']);
});

test.each([
  [' Contrato do galpão novo. ', 'Contrato do galpão novo'],
  [null, null],
  [' ', null],
  ['Contrato\ne recibos', null],
  ['a'.repeat(61), null],
])('subjectOf › the note %j', (note, subject) => {
  expect(subjectOf(file('image.jpg', note))).toBe(subject);
});
