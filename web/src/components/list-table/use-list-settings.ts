// Settings of a list table, kept for each person in this browser.
import { useState } from 'react';

import { safeLocalStorage } from '~/lib/safe-storage';

export type Density = 'comfortable' | 'compact';

export type ListSettings = {
  /** Columns that the person has shown or hidden, by id. */
  columns: Record<string, boolean>;
  density: Density;
};

const KEY_PREFIX = 'portaria-list';

/** `name` is the list's, `owner` the person's id. */
export function useListSettings(name: string, owner: string) {
  const key = `${KEY_PREFIX}/${owner}/${name}`;
  const [settings, setSettings] = useState(() => parseSettings(safeLocalStorage.get(key)));
  const change = (changes: Partial<ListSettings>) => {
    const next = { ...settings, ...changes };
    safeLocalStorage.set(key, JSON.stringify(next));
    setSettings(next);
  };
  return [settings, change] as const;
}

/** Settings of an older release, or damaged ones, give the usual settings. */
function parseSettings(stored: string | null): ListSettings {
  const usual: ListSettings = { columns: {}, density: 'comfortable' };
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    if (typeof value !== 'object' || value === null) return usual;
    const { columns, density }: { columns?: unknown; density?: unknown } = value;
    const shown = typeof columns === 'object' && columns !== null ? Object.entries(columns) : [];
    return {
      columns: Object.fromEntries(shown.filter(([, isShown]) => typeof isShown === 'boolean')),
      density: density === 'compact' ? 'compact' : 'comfortable',
    };
  } catch {
    return usual;
  }
}
