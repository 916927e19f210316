/** The address as it belongs in a mail, or null when it is none. A variable may stand for one. */
export function normalizeLinkUrl(text: string): string | null {
  const typed = text.trim();
  if (/^\{\{[^{}]+\}\}$/.test(typed) || /^(?:https?:\/\/|mailto:|tel:)\S+$/i.test(typed)) return typed;
  if (/^[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/.test(typed)) return `mailto:${typed}`;
  return /^[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/.test(typed) ? `https://${typed}` : null;
}

/** The address of a picture that other people's mail programs can load. */
export function normalizeImageUrl(text: string): string | null {
  const address = normalizeLinkUrl(text);
  return address !== null && /^https:/i.test(address) ? address : null;
}

/** The picture that a video's host shows of it, where that is known. */
export function videoThumbnailUrl(address: string): string | null {
  const id = /(?:youtube\.com\/(?:watch\?(?:.*&)?v=|shorts\/|embed\/|live\/)|youtu\.be\/)([\w-]{11})/.exec(
    address,
  )?.[1];
  return id === undefined ? null : `https://img.youtube.com/vi/${id}/hqdefault.jpg`;
}
