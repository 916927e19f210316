import { beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';

import { forgetAll } from './draft-keys';
import { type Draft, dropDraft, forgetDraft, keepDraft, newDraft, readDrafts } from './drafts';

const desk = { userId: 'u1', what: 'ticket' };
const words = z.object({ text: z.string() });
const read = (at = desk) => readDrafts(at, (values) => words.safeParse(values).data);

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

function keep(text: string, slot?: string): Draft<{ text: string }> {
  const draft = newDraft({ text }, slot);
  vi.advanceTimersByTime(1);
  keepDraft(desk, draft);
  return draft;
}

test('drafts come back, the newest first, each to its own desk', () => {
  const [one, two] = [keep('um'), keep('dois')];
  expect(read()).toEqual([two, one]);
  expect(read({ userId: 'u2', what: 'ticket' })).toEqual([]);
  expect(read({ userId: 'u1', what: 'reply-7' })).toEqual([]);
});

test('a changed draft takes the place of the old one, under another key', () => {
  const one = keep('um');
  const changed = keep('um e meio', one.slot);
  expect(read()).toEqual([changed]);
  expect(changed.key).not.toBe(one.key);
});

test('what was sent is forgotten, what was changed since is not', () => {
  const one = keep('um');
  const changed = keep('um e meio', one.slot);
  dropDraft(desk, one);
  expect(read()).toEqual([changed]);
  dropDraft(desk, changed);
  expect(read()).toEqual([]);
});

test('who signs out leaves none behind, and the form that still stands writes none', () => {
  const one = keep('um');
  localStorage.setItem('portaria-theme', 'dark');
  forgetAll('u2');
  expect(read()).toEqual([one]);
  forgetAll('u1');
  keepDraft({ userId: '', what: 'ticket' }, one);
  expect(localStorage.length).toBe(1);
});

test('an emptied draft is forgotten', () => {
  forgetDraft(desk, keep('um').slot);
  expect(read()).toEqual([]);
});

test('what is none of ours is passed over', () => {
  localStorage.setItem('portaria-draft/u1/ticket/a', 'isto não é JSON');
  localStorage.setItem('portaria-draft/u1/ticket/b', '{"key":"x","at":1,"values":{"text":"x"}}');
  keepDraft(desk, newDraft({ text: 7 }));
  const one = keep('um');
  expect(read()).toEqual([one]);
});

test('what a full browser does not take is kept while the page lives', () => {
  vi.stubGlobal('localStorage', Object.assign(new Kept(), { setItem: fail }));
  const one = keep('um');
  expect(read()).toEqual([one]);
  dropDraft(desk, one);
  expect(read()).toEqual([]);
});

function fail(): never {
  throw new DOMException('full', 'QuotaExceededError');
}
