// The text of a `style` attribute, changed without touching what else stands in it.

/** `color: red; margin: 0` as its parts. A semicolon within brackets ends nothing: it may be a picture's address. */
export function parseDeclarations(style: string | null | undefined): string[] {
  return (style ?? '')
    .split(/;(?![^(]*\))/)
    .map((declaration) => declaration.trim())
    .filter((declaration) => declaration !== '');
}

/** The style with a property set to a value, or without it. */
export function setProperty(
  style: string | null | undefined,
  property: string,
  value: string | null,
): string | null {
  const others = parseDeclarations(removeProperties(style, [property]));
  const all = value === null ? others : [...others, `${property}: ${value}`];
  return all.length === 0 ? null : all.join('; ');
}

export function removeProperties(
  style: string | null | undefined,
  properties: readonly string[],
): string | null {
  const left = parseDeclarations(style).filter((declaration) => !properties.includes(nameOf(declaration)));
  return left.length === 0 ? null : left.join('; ');
}

export function getProperty(style: string | null | undefined, property: string): string | null {
  const declaration = parseDeclarations(style).findLast((one) => nameOf(one) === property);
  return declaration === undefined ? null : declaration.slice(declaration.indexOf(':') + 1).trim();
}

function nameOf(declaration: string): string {
  return (declaration.split(':')[0] ?? '').trim().toLowerCase();
}
