// The color theme. `public/boot.js` restores it before the first paint.
import { safeLocalStorage } from './safe-storage';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'portaria-theme';

export function currentTheme(): Theme {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') {
    safeLocalStorage.remove(KEY);
    delete document.documentElement.dataset['theme'];
  } else {
    safeLocalStorage.set(KEY, theme);
    document.documentElement.dataset['theme'] = theme;
  }
}

/** Calls back when the theme changes. Returns the function that ends it. */
export function subscribeToTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
