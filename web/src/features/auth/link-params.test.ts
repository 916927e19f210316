// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest';

import { forgetForeignLinkParams, forgetLinkParams, readLinkParams } from './link-params';

const visitor = vi.hoisted(() => ({ id: '' }));
vi.mock('./session', () => ({
  session: { get: () => ({ user: visitor.id === '' ? null : { id: visitor.id } }) },
}));

const readToken = () => readLinkParams('password').get('token_hash');

beforeEach(() => {
  sessionStorage.clear();
  visitor.id = '';
  openLink('');
});

test('readLinkParams removes the fragment from the address and returns it again after a reload', () => {
  openLink('#token_hash=a1&type=invite');
  expect(Object.fromEntries(readLinkParams('password'))).toEqual({ token_hash: 'a1', type: 'invite' });
  expect(location.pathname + location.hash).toBe('/atualizar-senha');
  expect(Object.fromEntries(readLinkParams('password'))).toEqual({ token_hash: 'a1', type: 'invite' });
});

test('readLinkParams returns nothing without a link, and nothing of another page', () => {
  expect(readLinkParams('password').size).toBe(0);
  openLink('#token_hash=a1');
  readLinkParams('password');
  expect(readLinkParams('setup').size).toBe(0);
});

test('a new link replaces the kept one', () => {
  openLink('#token_hash=a1');
  readToken();
  openLink('#token_hash=a2');
  expect(readToken()).toBe('a2');
  expect(readToken()).toBe('a2');
});

test('forgetLinkParams forgets the link of its page', () => {
  openLink('#token_hash=a1');
  readToken();
  forgetLinkParams('setup');
  expect(readToken()).toBe('a1');
  forgetLinkParams('password');
  expect(readToken()).toBeNull();
});

test('a kept link is ignored for another visitor', () => {
  openLink('#token_hash=a1');
  readToken();
  visitor.id = 'ana';
  expect(readToken()).toBeNull();
});

test('a kept link does not return after the visit of another person', () => {
  openLink('#token_hash=a1');
  readToken();
  visitor.id = 'ana';
  forgetForeignLinkParams();
  visitor.id = '';
  expect(readToken()).toBeNull();
});

test('forgetForeignLinkParams keeps the link of the visitor', () => {
  visitor.id = 'ana';
  openLink('#token_hash=a1');
  readToken();
  forgetForeignLinkParams();
  expect(readToken()).toBe('a1');
});

function openLink(fragment: string): void {
  history.replaceState(null, '', `/atualizar-senha${fragment}`);
}
