// Theme switch.
import { Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';

import { currentTheme, setTheme, subscribeToTheme, type Theme } from '~/lib/theme';

const choices = {
  system: { label: 'do sistema', icon: Monitor, next: 'light' },
  light: { label: 'claro', icon: Sun, next: 'dark' },
  dark: { label: 'escuro', icon: Moon, next: 'system' },
} as const satisfies Record<Theme, { label: string; icon: unknown; next: Theme }>;

type ThemeSwitchProps = { className: string; iconClassName?: string };

/** A button that cycles through the system, light and dark themes. */
export function ThemeSwitch({ className, iconClassName }: ThemeSwitchProps) {
  const { label, icon: Icon, next } = choices[useSyncExternalStore(subscribeToTheme, currentTheme)];
  return (
    <button
      type="button"
      title={`Mudar para: tema ${choices[next].label}`}
      onClick={() => setTheme(next)}
      className={className}
    >
      <Icon size={20} aria-hidden className={iconClassName ?? ''} />
      Tema: {label}
    </button>
  );
}
