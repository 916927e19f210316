// Downloads of files by the browser.
/** Downloads a blob as a file. */
export function downloadBlob(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  downloadUrl(url, name);
  // The browser reads the blob asynchronously. The delay is long enough for the download to start.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Downloads a URL as a file. */
export function downloadUrl(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
