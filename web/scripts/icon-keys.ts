// Leaves out the parts of the icons' data that the app does not read: React keys, other names and the size. A key is seven
// random characters, which no compression shortens. An icon's shapes never change their order, so React needs no keys;
// without them only its development build warns.
import type { Plugin } from 'vite';

const ICON = /\/lucide-react\/dist\/esm\/icons\/[^/]+\.mjs$/;
const UNREAD = {
  keys: /,\s+key: "[a-z\d]+"/g,
  'other names': /,\s+aliases: \[[^\]]*\]/g,
  size: /\s+size: 24,/g,
  statement: /^__iconData\.node;$/gm,
};

/** Throws at build time if no icon has one of the parts, for example after a change of the library's format. */
export function omitIconKeys(): Plugin {
  const pending = new Set<string>(Object.keys(UNREAD));
  return {
    name: 'omit-icon-keys',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!ICON.test(id)) return null;
      return Object.entries(UNREAD).reduce(
        (text, [name, part]) =>
          text.replaceAll(part, () => {
            pending.delete(name);
            return '';
          }),
        code,
      );
    },
    buildEnd() {
      if (pending.size > 0) throw new Error(`The icons have no ${[...pending].join(', ')}.`);
    },
  };
}
