// Saved views of a list: a name for filters and order, kept for each person in this browser. The account's metadata would
// follow the person to other machines, but they are part of each access token and of each row that names a colleague.
import { useState } from 'react';

import { safeLocalStorage } from '~/lib/safe-storage';
import { randomUuid } from '~/lib/uuid';

export type SavedView = {
  id: string;
  name: string;
  /** The URL parameters, in the form of `canonicalSearch`. */
  search: string;
};

/** Maximum number of views of one list. */
export const MAX_VIEWS = 20;
/** Maximum length of a name, in characters. */
export const MAX_VIEW_NAME = 60;

const KEY_PREFIX = 'portaria-views';

/** The parameters in a fixed order, so that equal filters are equal texts. */
export function canonicalSearch(params: URLSearchParams): string {
  const sorted = new URLSearchParams(params);
  sorted.sort();
  return sorted.toString();
}

/** `list` is the list's name, `owner` the person's id. */
export function useSavedViews(list: string, owner: string) {
  const key = `${KEY_PREFIX}/${owner}/${list}`;
  const [views, setViews] = useState(() => parseViews(safeLocalStorage.get(key)));
  // Another tab may have changed the views since this one read them.
  const change = (next: (views: SavedView[]) => SavedView[]) => {
    const changed = next(parseViews(safeLocalStorage.get(key)));
    safeLocalStorage.set(key, JSON.stringify(changed));
    setViews(changed);
  };
  return {
    views,
    save: (name: string, search: string) =>
      change((saved) => [...saved, { id: randomUuid(), name, search }].slice(0, MAX_VIEWS)),
    rename: (id: string, name: string) =>
      change((saved) => saved.map((view) => (view.id === id ? { ...view, name } : view))),
    remove: (id: string) => change((saved) => saved.filter((view) => view.id !== id)),
  };
}

/** Damaged entries are left out. */
export function parseViews(stored: string | null): SavedView[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(value) ? value.filter(isView).slice(0, MAX_VIEWS) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, search }: { id?: unknown; name?: unknown; search?: unknown } = value;
  return [id, name, search].every((field) => typeof field === 'string');
}
