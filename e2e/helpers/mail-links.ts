// Links and codes of the server's mails.

import type { Portaria } from '../fixtures/server.ts';

export interface MailLink {
  /** The address of the mail's button. */
  readonly link: string;
  /** The token in that address, or an empty string. */
  readonly token: string;
  /** The six-digit code, or an empty string. */
  readonly code: string;
}

/** Finds the newest mail of an event to a recipient. */
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

/** Requests a link without following the redirect. Returns the redirect's target. */
export async function followLink(link: string): Promise<URL> {
  const response = await fetch(link, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status !== 303 || location === null) {
    throw new Error(`The link answered ${response.status} and leads nowhere.`);
  }
  return new URL(location);
}

/** The parameters in the fragment of an address. */
export function hashParams(address: URL): URLSearchParams {
  return new URLSearchParams(address.hash.slice(1));
}
