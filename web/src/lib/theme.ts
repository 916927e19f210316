// The color theme. `public/theme.js` restores it before the first paint.
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
