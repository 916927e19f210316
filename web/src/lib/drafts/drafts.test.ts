import { beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';

import { clearDrafts } from './draft-keys';
import { type Draft, deleteDraftIfUnchanged, deleteDraft, saveDraft, newDraft, listDrafts } from './drafts';

const scope = { userId: 'u1', kind: 'ticket' };
const words = z.object({ text: z.string() });
const read = (at = scope) => listDrafts(at, (values) => words.safeParse(values).data);

/** What a browser keeps, without a browser. */
class Kept implements Storage {
  [name: string]: unknown;
  readonly #items = new Map<string, string>();
  get length() {
    return this.#items.size;
  }
  clear = () => this.#items.clear();
  getItem = (key: string) => this.#items.get(key) ?? null;
  key = (at: number) => [...this.#items.keys()][at] ?? null;
  removeItem = (key: string) => void this.#items.delete(key);
  setItem = (key: string, value: string) => void this.#items.set(key, value);
}

beforeEach(() => {
  vi.stubGlobal('localStorage', new Kept());
  vi.useFakeTimers();
});

function keep(text: string, id?: string): Draft<{ text: string }> {
  const draft = newDraft({ text }, id);
  vi.advanceTimersByTime(1);
  saveDraft(scope, draft);
  return draft;
}

test('drafts come back, the newest first, each to its own scope', () => {
  const [one, two] = [keep('um'), keep('dois')];
  expect(read()).toEqual([two, one]);
  expect(read({ userId: 'u2', kind: 'ticket' })).toEqual([]);
  expect(read({ userId: 'u1', kind: 'reply-7' })).toEqual([]);
});

test('a changed draft takes the place of the old one, under another key', () => {
  const one = keep('um');
  const changed = keep('um e meio', one.id);
  expect(read()).toEqual([changed]);
  expect(changed.idempotencyKey).not.toBe(one.idempotencyKey);
});

test('what was sent is forgotten, what was changed since is not', () => {
  const one = keep('um');
  const changed = keep('um e meio', one.id);
  deleteDraftIfUnchanged(scope, one);
  expect(read()).toEqual([changed]);
  deleteDraftIfUnchanged(scope, changed);
  expect(read()).toEqual([]);
});

test('who signs out leaves none behind, and the form that still stands writes none', () => {
  const one = keep('um');
  localStorage.setItem('portaria-theme', 'dark');
  clearDrafts('u2');
  expect(read()).toEqual([one]);
  clearDrafts('u1');
  saveDraft({ userId: '', kind: 'ticket' }, one);
  expect(localStorage.length).toBe(1);
});

test('an emptied draft is forgotten', () => {
  deleteDraft(scope, keep('um').id);
  expect(read()).toEqual([]);
});

test('what is none of ours is passed over', () => {
  localStorage.setItem('portaria-draft/u1/ticket/a', 'isto não é JSON');
  localStorage.setItem('portaria-draft/u1/ticket/b', '{"key":"x","at":1,"values":{"text":"x"}}');
  saveDraft(scope, newDraft({ text: 7 }));
  const one = keep('um');
  expect(read()).toEqual([one]);
});

test('what a full browser does not take is kept while the page lives', () => {
  vi.stubGlobal('localStorage', Object.assign(new Kept(), { setItem: fail }));
  const one = keep('um');
  expect(read()).toEqual([one]);
  deleteDraftIfUnchanged(scope, one);
  expect(read()).toEqual([]);
});

function fail(): never {
  throw new DOMException('full', 'QuotaExceededError');
}
