// Converts a logo to a small PNG in the browser, so that the server receives no SVG.

/** The box into which a logo is fitted. Pixels. */
const BOX = { width: 640, height: 320 };
/** The smallest side that the server accepts. Pixels. */
const MIN_SIDE = 16;
/** The largest file that the server accepts. Bytes. */
const MAX_BYTES = 100 * 1024;

export const LOGO_TYPES = 'image/png,image/svg+xml';

/** Returns a PNG as a data URL. The error of a file that is no image has a message for the user. */
export async function toLogo(file: File): Promise<string> {
  if (!LOGO_TYPES.split(',').includes(file.type)) throw new Error('Escolha uma imagem PNG ou SVG.');
  const url = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = url;
    // An image element runs no scripts of an SVG and loads nothing from other addresses.
    await image.decode();
    return draw(image, file.type === 'image/svg+xml');
  } catch (error) {
    throw new Error('A imagem não pôde ser lida. Exporte o logotipo como PNG e tente de novo.', {
      cause: error,
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

function draw(image: HTMLImageElement, isVector: boolean): string {
  const [width, height] = [image.naturalWidth || BOX.width, image.naturalHeight || BOX.height];
  const fit = Math.min(BOX.width / width, BOX.height / height);
  let scale = isVector ? fit : Math.min(fit, 1);
  for (;;) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(Math.round(width * scale), MIN_SIDE);
    canvas.height = Math.max(Math.round(height * scale), MIN_SIDE);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('The browser has no canvas.');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = canvas.toDataURL('image/png');
    // Base64 takes four characters for three bytes.
    if (png.length * 0.75 <= MAX_BYTES || canvas.width <= MIN_SIDE) return png;
    scale *= 0.75;
  }
}
