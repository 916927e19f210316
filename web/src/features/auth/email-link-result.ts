// What a mailed link that led here had to tell: one of two addresses is confirmed, or the link was worth nothing.
import { takeFragment } from '~/lib/hash-params';

export type LinkNews = 'half' | 'expired' | null;

let held: LinkNews = null;

/** The news in the address of the page, which is taken out of it, or what was held. */
export function takeNews(): LinkNews {
  const news = read() ?? held;
  held = null;
  return news;
}

/** Keeps the news while its reader is led to another page. */
export function holdNews(): void {
  held = read();
}

function read(): LinkNews {
  if (!/[#&](?:message|error_code)=/.test(location.hash)) return null;
  return takeFragment().has('error_code') ? 'expired' : 'half';
}
