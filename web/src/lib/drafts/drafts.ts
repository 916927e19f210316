// What somebody wrote and the server does not have yet. It is kept in the browser, so that a failure, a reload or
// a second tab loses nothing of it.
import * as z from 'zod/mini';

import { inBrowser } from '~/lib/safe-storage';
import { newId } from '~/lib/uuid';

import { placeOf, placesOf } from './draft-keys';

export type Draft<Values> = {
  /** Where it is kept; stays the same while the words change. */
  slot: string;
  /** Another one with every change: under one key the server takes what is sent twice only once. */
  key: string;
  values: Values;
};

/** Whose drafts, and of what. */
export type Desk = { userId: string; what: string };

const keptSchema = z.object({ key: z.uuid(), at: z.number(), values: z.unknown() });

export function newDraft<Values>(values: Values, slot = newId()): Draft<Values> {
  return { slot, key: newId(), values };
}

/** The drafts of a desk, the newest first. What stands there and is none of ours is passed over. */
export function readDrafts<Values>(
  desk: Desk,
  parse: (values: unknown) => Values | undefined,
): Draft<Values>[] {
  const start = placeAt(desk, '');
  const found: (Draft<Values> & { at: number })[] = [];
  for (const place of placesOf(desk.userId)) {
    if (!place.startsWith(start)) continue;
    const kept = read(inBrowser.get(place));
    const values = kept && parse(kept.values);
    if (kept && values !== undefined) {
      found.push({ slot: place.slice(start.length), key: kept.key, at: kept.at, values });
    }
  }
  return found
    .toSorted((one, other) => other.at - one.at)
    .map(({ slot, key, values }) => ({ slot, key, values }));
}

export function keepDraft<Values>(desk: Desk, { slot, key, values }: Draft<Values>): void {
  // A form stands for one more moment after its session has ended: its words are nobody's then.
  if (desk.userId === '') return;
  const place = placeAt(desk, slot);
  // Kept already; to write it again would call the other tabs for nothing.
  if (read(inBrowser.get(place))?.key === key) return;
  inBrowser.set(place, JSON.stringify({ key, at: Date.now(), values }));
}

/** Forgets a draft that nothing is left of. */
export function forgetDraft(desk: Desk, slot: string): void {
  inBrowser.drop(placeAt(desk, slot));
}

/** Forgets a draft that was sent, unless it was changed since. */
export function dropDraft(desk: Desk, { slot, key }: Pick<Draft<unknown>, 'slot' | 'key'>): void {
  const place = placeAt(desk, slot);
  if (read(inBrowser.get(place))?.key === key) inBrowser.drop(place);
}

/** Hears of a draft that another tab keeps or forgets. */
export function watchDraft(desk: Desk, slot: string, changed: () => void): () => void {
  const hear = ({ key }: StorageEvent) => {
    if (key === null || key === placeAt(desk, slot)) changed();
  };
  window.addEventListener('storage', hear);
  return () => window.removeEventListener('storage', hear);
}

function placeAt({ userId, what }: Desk, slot: string): string {
  return placeOf(userId, what, slot);
}

function read(text: string | null) {
  try {
    return keptSchema.safeParse(JSON.parse(text ?? 'null')).data;
  } catch {
    return undefined;
  }
}
