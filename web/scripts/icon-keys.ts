// Leaves out the React keys in the data of the icons. Each is seven random characters, which no compression shortens. An
// icon's shapes never change their order, so React needs no keys; without them only its development build warns.
import type { Plugin } from 'vite';

const ICON = /\/lucide-react\/dist\/esm\/icons\/[^/]+\.mjs$/;
const KEY = /,\s+key: "[a-z\d]+"/g;

/** Throws at build time if no icon has a key, for example after a change of the library's format. */
export function omitIconKeys(): Plugin {
  let count = 0;
  return {
    name: 'omit-icon-keys',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!ICON.test(id)) return null;
      return code.replaceAll(KEY, () => {
        count += 1;
        return '';
      });
    },
    buildEnd() {
      if (count === 0) throw new Error('The icons have no keys.');
    },
  };
}
