// Changes of single properties in the value of a `style` attribute.

/**
 * Declarations of a style value such as `color: red; margin: 0`. Semicolons in parentheses do not separate, because
 * data URLs contain them.
 */
export function parseDeclarations(style: string | null | undefined): string[] {
  return (style ?? '')
    .split(/;(?![^(]*\))/)
    .map((declaration) => declaration.trim())
    .filter((declaration) => declaration !== '');
}

/** Sets a property, or removes it if the value is null. */
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
