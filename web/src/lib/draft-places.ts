// Where drafts lie in the browser, whatever is in them. Apart from `drafts.ts`, because every screen can sign out and
// few have drafts to read.

const START = 'portaria-draft';

export function placeOf(userId: string, what: string, slot: string): string {
  return `${START}/${userId}/${what}/${slot}`;
}

/** Everything that a person wrote here and did not send. */
export function placesOf(userId: string): string[] {
  const places = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '');
  return places.filter((place) => place.startsWith(`${START}/${userId}/`));
}

/** Leaves nothing of it behind. */
export function forgetAll(userId: string): void {
  for (const place of placesOf(userId)) localStorage.removeItem(place);
}
