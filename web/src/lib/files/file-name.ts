// File names and extensions.

/** The extension in lowercase: `pdf` of `public/7/contratos/1700-Contrato.PDF`; empty if there is none. */
export function getExtension(path: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Whether a file is a picture that the server scales down. */
export function isPicture(path: string): boolean {
  return /^(?:png|jpe?g|webp|gif|hei[cf])$/.test(getExtension(path));
}

/** Whether a file is a photo of a phone (HEIC), which few browsers show. The server turns it into JPEG. */
export function isPhonePhoto(path: string): boolean {
  return /^hei[cf]$/.test(getExtension(path));
}

/** The file name for the download of a document: its name with the extension of its file. */
export function downloadFileName(document: { name: string; type: string; file_url: string | null }): string {
  const type = document.type.trim().toLowerCase();
  const extension = getExtension(document.file_url ?? '') || (/^[a-z0-9]{1,8}$/.test(type) ? type : '');
  // Browsers treat a slash as a path separator.
  const name = document.name.trim().replaceAll(/[/\\]/g, '-');
  return extension === '' || getExtension(name) === extension ? name : `${name}.${extension}`;
}
