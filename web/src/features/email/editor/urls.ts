// URLs of links, images and video thumbnails in e-mails.
/** URL in the form for an e-mail link, null if it is invalid. A template variable is valid. */
export function normalizeLinkUrl(text: string): string | null {
  const typed = text.trim();
  if (/^\{\{[^{}]+\}\}$/.test(typed) || /^(?:https?:\/\/|mailto:|tel:)\S+$/i.test(typed)) return typed;
  if (/^[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/.test(typed)) return `mailto:${typed}`;
  return /^[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/.test(typed) ? `https://${typed}` : null;
}

/** Image URL that other e-mail clients can load (https), null otherwise. */
export function normalizeImageUrl(text: string): string | null {
  const address = normalizeLinkUrl(text);
  return address !== null && /^https:/i.test(address) ? address : null;
}

/** Thumbnail URL of a video, null for unknown hosts. */
export function videoThumbnailUrl(address: string): string | null {
  const id = /(?:youtube\.com\/(?:watch\?(?:.*&)?v=|shorts\/|embed\/|live\/)|youtu\.be\/)([\w-]{11})/.exec(
    address,
  )?.[1];
  return id === undefined ? null : `https://img.youtube.com/vi/${id}/hqdefault.jpg`;
}
