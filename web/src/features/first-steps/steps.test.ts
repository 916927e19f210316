import { expect, test } from 'vitest';

import type { OfficeSettings } from '~/features/office/api';
import type { SmtpStatus } from '~/lib/api/database';

import { findDoneSteps } from './steps';

const settings: OfficeSettings = {
  id: '1',
  name: null,
  logo: null,
  color: null,
  dark_color: null,
  phone: null,
  whatsapp: null,
  email: null,
  address: null,
  opening_hours: [],
  holidays: [],
  day_off_rules: {},
  welcome_text: null,
  mail_footer: null,
  mail_sender_name: null,
  updated_at: '2026-11-27T12:00:00Z',
};
const smtp: SmtpStatus = {
  configured: true,
  sender: 'portal@escritorio.com.br',
  server: 'smtp.escritorio.com.br',
  waiting: 0,
  retrying: 0,
  waiting_since: null,
  next_attempt_at: null,
  failed: 0,
  last_error: null,
  last_sent_at: null,
};
const fresh = { settings, smtp, staffCount: 1, clientCount: 0 };
const done = (changes: Partial<Parameters<typeof findDoneSteps>[0]>) => [
  ...findDoneSteps({ ...fresh, ...changes }),
];

test('a new office has done nothing', () => {
  expect(done({})).toEqual([]);
  expect(
    done({ settings: undefined, smtp: undefined, staffCount: undefined, clientCount: undefined }),
  ).toEqual([]);
});

test('the office needs a name and one contact', () => {
  expect(done({ settings: { ...settings, name: 'Prado Contábil' } })).toEqual([]);
  expect(done({ settings: { ...settings, name: 'Prado Contábil', whatsapp: '5511987654321' } })).toEqual([
    'office',
  ]);
});

test('mails are done once one was sent and the server does not fail', () => {
  const sent = { ...smtp, last_sent_at: '2026-11-27T12:00:00Z' };
  expect(done({ smtp: sent })).toEqual(['mail']);
  expect(done({ smtp: { ...sent, last_error: 'connection refused' } })).toEqual([]);
  expect(done({ smtp: { ...sent, configured: false } })).toEqual([]);
});

test('a second colleague and a first client complete their steps', () => {
  expect(done({ staffCount: 2, clientCount: 1 })).toEqual(['team', 'clients']);
});
