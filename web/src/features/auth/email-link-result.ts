// Result of a mailed link, read from the URL fragment: a confirmed e-mail address or a link error.
import { consumeHashParams } from '~/lib/hash-params';

export type EmailLinkResult = 'first-address-confirmed' | 'expired' | null;

let stashed: EmailLinkResult = null;

/** Returns the result from the URL, which is then cleaned, or else the stashed result. */
export function consumeEmailLinkResult(): EmailLinkResult {
  const result = read() ?? stashed;
  stashed = null;
  return result;
}

/** Keeps the result across a redirect. */
export function stashEmailLinkResult(): void {
  stashed = read();
}

function read(): EmailLinkResult {
  if (!/[#&](?:message|error_code)=/.test(location.hash)) return null;
  return consumeHashParams().has('error_code') ? 'expired' : 'first-address-confirmed';
}
