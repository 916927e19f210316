import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';

import { currentTheme, setTheme, type Theme } from '~/lib/theme';

import { cn } from './cn';

const choices = [
  { theme: 'system', label: 'Tema do sistema', icon: Monitor },
  { theme: 'light', label: 'Tema claro', icon: Sun },
  { theme: 'dark', label: 'Tema escuro', icon: Moon },
] as const satisfies { theme: Theme; label: string; icon: unknown }[];

/** One button that goes round: system, light, dark. */
export function ThemeSwitch({ className }: { className?: string }) {
  const [theme, remember] = useState(currentTheme);
  const at = choices.findIndex((choice) => choice.theme === theme);
  const now = choices[at] ?? choices[0];
  const next = choices[(at + 1) % choices.length] ?? choices[0];
  const label = `${now.label}. Mudar para: ${next.label.toLowerCase()}`;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => {
        setTheme(next.theme);
        remember(next.theme);
      }}
      className={cn('touch-target inline-flex items-center justify-center rounded', className)}
    >
      <now.icon size={20} aria-hidden />
    </button>
  );
}
