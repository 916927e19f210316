// What a file is called, and what that says about it.

/** `pdf` of `public/7/contratos/1700-Contrato.PDF`; empty when there is none. */
export function getExtension(path: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** The name under which a document is saved: its own, ending in the extension of its file. */
export function downloadFileName(document: { name: string; type: string; file_url: string | null }): string {
  const type = document.type.trim().toLowerCase();
  const extension = getExtension(document.file_url ?? '') || (/^[a-z0-9]{1,8}$/.test(type) ? type : '');
  // A slash would be read as a folder.
  const name = document.name.trim().replaceAll(/[/\\]/g, '-');
  return extension === '' || getExtension(name) === extension ? name : `${name}.${extension}`;
}
