/** Hands bytes to the browser as a download. */
export function downloadBlob(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  downloadUrl(url, name);
  // The browser reads it in its own time; a minute is more than it needs to begin.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Hands what an address answers to the browser as a download. */
export function downloadUrl(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
