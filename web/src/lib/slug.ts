// Slugs: names in URLs.
import { foldAccents } from './text-search.ts';

const MAX_LENGTH = 60;

/**
 * Converts `Guias 2026` to `guias-2026`, with a numeric suffix if that slug is taken. `fallback` replaces an empty
 * slug.
 */
export function uniqueSlug(name: string, taken: readonly string[], fallback: string): string {
  const plain = foldAccents(name)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-|-$/g, '');
  const base = plain === '' ? fallback : plain;
  let slug = base;
  for (let number = 2; taken.includes(slug); number += 1) slug = `${base}-${number}`;
  return slug;
}
