// Texts that a library writes itself, in Portuguese. Screen readers read them with the voice of the page.
import type { Plugin } from 'vite';

const DISMISS_BUTTON = 'combobox/utils/ComboboxInternalDismissButton.mjs';

/** Throws if the library no longer contains the text. */
export function translateLibraryTexts(): Plugin {
  return {
    name: 'translate-library-texts',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(DISMISS_BUTTON)) return null;
      const translated = code.replace('"aria-label": "Dismiss"', '"aria-label": "Recolher lista"');
      if (translated === code) throw new Error(`${id} has another text than expected.`);
      return { code: translated, map: null };
    },
  };
}
