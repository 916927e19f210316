// Readable forms of a color that a person chose (WCAG 2.2, success criterion 1.4.3). The server refuses unreadable ones.
import { BLACK, DARK_GROUND, formatColor, mix, parseColor, type Rgb, TINT, WHITE } from '~/lib/office-colors';

/** Minimum contrast of text. */
const MIN_CONTRAST = 4.5;
/** The darkest ground of the light theme. */
const LIGHT_GROUND: Rgb = [0xf3, 0xf3, 0xef];

export type ReadableColors = {
  /** On light grounds. */
  light: string;
  /** On dark grounds. */
  dark: string;
};

/** The nearest readable colors of the same hue: darker for light grounds, lighter for dark ones. Null for no color. */
export function readableColors(chosen: string): ReadableColors | null {
  const color = parseColor(chosen);
  if (!color) return null;
  const onLight = nearest(color, BLACK, (candidate) => [LIGHT_GROUND, mix(candidate, WHITE, TINT.light)]);
  const onDark = nearest(color, WHITE, (candidate) => [DARK_GROUND, mix(candidate, DARK_GROUND, TINT.dark)]);
  return { light: formatColor(onLight), dark: formatColor(onDark) };
}

/** The chosen color of two readable forms: the one from which both derive. */
export function findChosenColor({ light, dark }: ReadableColors): string {
  return readableColors(light)?.dark !== dark && readableColors(dark)?.light === light ? dark : light;
}

/** The first mix toward black or white that contrasts with all its grounds. */
function nearest(color: Rgb, toward: Rgb, grounds: (candidate: Rgb) => Rgb[]): Rgb {
  for (let percent = 100; percent > 0; percent -= 1) {
    const candidate = mix(color, toward, percent / 100);
    if (grounds(candidate).every((ground) => contrast(candidate, ground) >= MIN_CONTRAST)) return candidate;
  }
  return toward;
}

/** The contrast ratio of two colors, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const channel = value / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
