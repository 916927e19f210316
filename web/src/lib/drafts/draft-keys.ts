// Where drafts lie in the browser, whatever is in them. Apart from `drafts.ts`, because every screen can sign out and
// few have drafts to read.
import { inBrowser } from '~/lib/safe-storage';

const START = 'portaria-draft';

export function placeOf(userId: string, what: string, slot: string): string {
  return `${START}/${userId}/${what}/${slot}`;
}

/** Everything that a person wrote here and did not send. */
export function placesOf(userId: string): string[] {
  return inBrowser.keys().filter((place) => place.startsWith(`${START}/${userId}/`));
}

/** Leaves nothing of it behind. */
export function forgetAll(userId: string): void {
  for (const place of placesOf(userId)) inBrowser.drop(place);
}
