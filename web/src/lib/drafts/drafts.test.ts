import { beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';

import { clearDrafts } from './draft-keys';
import { type Draft, deleteDraftIfUnchanged, deleteDraft, saveDraft, newDraft, listDrafts } from './drafts';

const scope = { userId: 'u1', kind: 'ticket' };
const schema = z.object({ text: z.string() });
const read = (target = scope) => listDrafts(target, (values) => schema.safeParse(values).data);

/** In-memory implementation of `Storage`. */
class MemoryStorage implements Storage {
  [name: string]: unknown;
  readonly #items = new Map<string, string>();
  get length() {
    return this.#items.size;
  }
  clear = () => this.#items.clear();
  getItem = (key: string) => this.#items.get(key) ?? null;
  key = (index: number) => [...this.#items.keys()][index] ?? null;
  removeItem = (key: string) => void this.#items.delete(key);
  setItem = (key: string, value: string) => void this.#items.set(key, value);
}

beforeEach(() => {
  vi.stubGlobal('localStorage', new MemoryStorage());
  vi.useFakeTimers();
});

function createDraft(text: string, id?: string): Draft<{ text: string }> {
  const draft = newDraft({ text }, id);
  vi.advanceTimersByTime(1);
  saveDraft(scope, draft);
  return draft;
}

test('listDrafts returns the drafts of a scope, newest first', () => {
  const [one, two] = [createDraft('um'), createDraft('dois')];
  expect(read()).toEqual([two, one]);
  expect(read({ userId: 'u2', kind: 'ticket' })).toEqual([]);
  expect(read({ userId: 'u1', kind: 'reply-7' })).toEqual([]);
});

test('changed draft replaces the old one and has a new idempotency key', () => {
  const one = createDraft('um');
  const changed = createDraft('um e meio', one.id);
  expect(read()).toEqual([changed]);
  expect(changed.idempotencyKey).not.toBe(one.idempotencyKey);
});

test('deleteDraftIfUnchanged keeps a draft that changed after sending', () => {
  const one = createDraft('um');
  const changed = createDraft('um e meio', one.id);
  deleteDraftIfUnchanged(scope, one);
  expect(read()).toEqual([changed]);
  deleteDraftIfUnchanged(scope, changed);
  expect(read()).toEqual([]);
});

test('sign-out deletes all drafts of the user, and a mounted form saves no new one', () => {
  const one = createDraft('um');
  localStorage.setItem('portaria-theme', 'dark');
  clearDrafts('u2');
  expect(read()).toEqual([one]);
  clearDrafts('u1');
  saveDraft({ userId: '', kind: 'ticket' }, one);
  expect(localStorage.length).toBe(1);
});

test('deleteDraft removes the draft', () => {
  deleteDraft(scope, createDraft('um').id);
  expect(read()).toEqual([]);
});

test('listDrafts skips invalid entries', () => {
  localStorage.setItem('portaria-draft/u1/ticket/a', 'isto não é JSON');
  localStorage.setItem('portaria-draft/u1/ticket/b', '{"key":"x","at":1,"values":{"text":"x"}}');
  saveDraft(scope, newDraft({ text: 7 }));
  const one = createDraft('um');
  expect(read()).toEqual([one]);
});

test('drafts stay in memory when the browser rejects them', () => {
  vi.stubGlobal('localStorage', Object.assign(new MemoryStorage(), { setItem: fail }));
  const one = createDraft('um');
  expect(read()).toEqual([one]);
  deleteDraftIfUnchanged(scope, one);
  expect(read()).toEqual([]);
});

function fail(): never {
  throw new DOMException('full', 'QuotaExceededError');
}
