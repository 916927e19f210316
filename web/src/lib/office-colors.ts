// The office's color in the interface. It replaces the tokens of `ui/styles.css` that carry the product's color.

export type Rgb = readonly [red: number, green: number, blue: number];

export const WHITE: Rgb = [255, 255, 255];
export const BLACK: Rgb = [0, 0, 0];
/** The lightest ground of the dark theme. */
export const DARK_GROUND: Rgb = [0x1a, 0x1f, 0x25];

/** The share of a color in its tint, on light and on dark grounds. The server checks the contrast with the same tints. */
export const TINT = { light: 0.08, dark: 0.16 } as const;

const TOKENS = ['primary', 'primary-hover', 'primary-foreground', 'primary-subtle', 'ring', 'brand'] as const;

/** Sets the colors of the office, or those of the product. */
export function applyOfficeColors(office: { color: string | null; dark_color: string | null }): void {
  const { style } = document.documentElement;
  const light = office.color === null ? null : parseColor(office.color);
  const dark = office.dark_color === null ? null : parseColor(office.dark_color);
  if (!light || !dark) {
    for (const token of TOKENS) style.removeProperty(`--${token}`);
    return;
  }
  const set = (token: (typeof TOKENS)[number], onLight: Rgb, onDark: Rgb) =>
    style.setProperty(`--${token}`, `light-dark(${formatColor(onLight)}, ${formatColor(onDark)})`);
  set('primary', light, dark);
  set('primary-hover', mix(light, BLACK, 0.82), mix(dark, WHITE, 0.75));
  set('primary-foreground', WHITE, [0x0b, 0x10, 0x14]);
  set('primary-subtle', mix(light, WHITE, TINT.light), mix(dark, DARK_GROUND, TINT.dark));
  set('ring', light, dark);
  set('brand', light, light);
}

/** Parses `#rrggbb`. Null for another form. */
export function parseColor(text: string): Rgb | null {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return null;
  const channel = (at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

export function formatColor(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Mixes a share of a color into a ground. */
export function mix(color: Rgb, ground: Rgb, share: number): Rgb {
  const channel = (index: 0 | 1 | 2) => Math.round(color[index] * share + ground[index] * (1 - share));
  return [channel(0), channel(1), channel(2)];
}
