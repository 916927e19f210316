// The mails of a server, as their readers use them.

import type { Portaria } from '../fixtures/server.ts';

export interface MailLink {
  /** The address behind its button. */
  readonly link: string;
  /** The token in that address. */
  readonly token: string;
  /** The six digits, where it has some. */
  readonly code: string;
}

/** The newest mail to an address about an event. */
export async function findMail(portaria: Portaria, event: string, recipient: string): Promise<MailLink> {
  const mails = await portaria.mails();
  const found = mails.findLast((mail) => mail.event === event && mail.recipient === recipient);
  if (found === undefined) {
    throw new Error(`No mail about ${event} waits for ${recipient}.`);
  }
  const link = (/href="([^"]+)"/.exec(found.html)?.[1] ?? '').replaceAll('&amp;', '&');
  return {
    link,
    token: /[?#&]token(?:_hash)?=([^&]+)/.exec(link)?.[1] ?? '',
    code: />(\d{6})</.exec(found.html)?.[1] ?? '',
  };
}

/** Opens a link as a browser would; the address that it leads to. */
export async function followLink(link: string): Promise<URL> {
  const answer = await fetch(link, { redirect: 'manual' });
  const location = answer.headers.get('location');
  if (answer.status !== 303 || location === null) {
    throw new Error(`The link answered ${answer.status} and leads nowhere.`);
  }
  return new URL(location);
}

/** What stands behind the `#` of an address. */
export function hashParams(address: URL): URLSearchParams {
  return new URLSearchParams(address.hash.slice(1));
}
