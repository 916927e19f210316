// What a mailed link that led here had to tell: one of two addresses is confirmed, or the link was worth nothing.
import { consumeHashParams } from '~/lib/hash-params';

export type EmailLinkResult = 'first-address-confirmed' | 'expired' | null;

let stashed: EmailLinkResult = null;

/** The news in the address of the page, which is taken out of it, or what was held. */
export function consumeEmailLinkResult(): EmailLinkResult {
  const news = read() ?? stashed;
  stashed = null;
  return news;
}

/** Keeps the news while its reader is led to another page. */
export function stashEmailLinkResult(): void {
  stashed = read();
}

function read(): EmailLinkResult {
  if (!/[#&](?:message|error_code)=/.test(location.hash)) return null;
  return consumeHashParams().has('error_code') ? 'expired' : 'first-address-confirmed';
}
