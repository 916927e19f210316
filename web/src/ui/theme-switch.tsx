// Theme switch.
import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';

import { currentTheme, setTheme, type Theme } from '~/lib/theme';

import { cn } from './cn';

const choices = [
  { theme: 'system', label: 'Tema do sistema', icon: Monitor },
  { theme: 'light', label: 'Tema claro', icon: Sun },
  { theme: 'dark', label: 'Tema escuro', icon: Moon },
] as const satisfies { theme: Theme; label: string; icon: unknown }[];

/** A button that cycles through the system, light and dark themes. */
export function ThemeSwitch({ className }: { className?: string }) {
  const [theme, setSelectedTheme] = useState(currentTheme);
  const index = choices.findIndex((choice) => choice.theme === theme);
  const current = choices[index] ?? choices[0];
  const next = choices[(index + 1) % choices.length] ?? choices[0];
  const label = `${current.label}. Mudar para: ${next.label.toLowerCase()}`;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => {
        setTheme(next.theme);
        setSelectedTheme(next.theme);
      }}
      className={cn('touch-target inline-flex items-center justify-center rounded', className)}
    >
      <current.icon size={20} aria-hidden />
    </button>
  );
}
