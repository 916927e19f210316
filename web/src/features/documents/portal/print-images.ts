// Printing of images from a hidden same-origin frame, one image per sheet.

export type Sheets = { images: readonly Blob[]; widthPt?: number; heightPt?: number };

export async function printImages({ images, widthPt, heightPt }: Sheets): Promise<void> {
  const frame = document.createElement('iframe');
  frame.title = 'Impressão';
  frame.setAttribute('aria-hidden', 'true');
  frame.tabIndex = -1;
  frame.style.cssText = 'position:fixed;width:0;height:0;border:0;visibility:hidden';
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  frame.srcdoc = '<!doctype html><html lang="pt-BR"><head></head><body></body></html>';
  document.body.append(frame);
  await loaded;

  const page = frame.contentDocument;
  const window = page?.defaultView;
  if (!page || !window) throw new Error('The print frame has no document.');

  page.title = document.title;
  // A constructed stylesheet, because the Content-Security-Policy blocks inline style elements.
  const style = new window.CSSStyleSheet();
  const size = widthPt && heightPt ? `size: ${widthPt}pt ${heightPt}pt;` : '';
  style.replaceSync(`
    @page { ${size} margin: 0 }
    body { margin: 0 }
    img { display: block; width: 100vw; height: 100vh; object-fit: contain; break-after: page; break-inside: avoid }
    img:last-child { break-after: auto }
  `);
  page.adoptedStyleSheets.push(style);

  const urls = images.map((image) => URL.createObjectURL(image));
  const clear = () => {
    for (const url of urls) URL.revokeObjectURL(url);
    frame.remove();
  };
  try {
    await Promise.all(
      urls.map((url) => {
        const picture = page.createElement('img');
        picture.src = url;
        page.body.append(picture);
        return picture.decode();
      }),
    );
  } catch (error) {
    clear();
    throw error;
  }
  // Some browsers return from `print` while the print dialog is open. The frame is removed after `afterprint`.
  window.addEventListener('afterprint', () => setTimeout(clear), { once: true });
  window.focus();
  window.print();
}
