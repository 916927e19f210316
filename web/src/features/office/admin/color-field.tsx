// The office's color in the form of its settings, with a preview in both themes.
import { RotateCcw } from 'lucide-react';

import { TextField } from '~/components/form-fields';
import type { FieldBinding } from '~/hooks/use-zod-form';
import { DARK_GROUND, formatColor, mix, parseColor, type Rgb, TINT, WHITE } from '~/lib/office-colors';
import { Button } from '~/ui/button';

import { readableColors } from './readable-colors';

/** The product's color, which an office without a color has. */
const PRODUCT_COLORS = { light: '#0e5a6b', dark: '#6cc3d5' };

type ColorFieldProps = { field: FieldBinding; value: string; onChange: (color: string) => void };

export function ColorField({ field, value, onChange }: ColorFieldProps) {
  const chosen = readableColors(value);
  const colors = chosen ?? PRODUCT_COLORS;
  const isDarkened = chosen !== null && chosen.light !== value.toLowerCase();
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          {...field}
          label="Cor"
          placeholder="#0e5a6b"
          maxLength={7}
          autoComplete="off"
          className="w-36"
        />
        <input
          type="color"
          aria-label="Escolher a cor"
          value={parseColor(value) ? value.toLowerCase() : PRODUCT_COLORS.light}
          onChange={(event) => onChange(event.target.value)}
          className="border-input/60 h-11 w-14 cursor-pointer rounded border p-1"
        />
        {value !== '' && (
          <Button variant="quiet" icon={<RotateCcw size={20} aria-hidden />} onClick={() => onChange('')}>
            Usar a cor padrão
          </Button>
        )}
      </div>
      <div role="group" aria-label="Prévia da cor" className="grid gap-3 sm:grid-cols-2">
        <Preview
          name="Tema claro"
          color={colors.light}
          ground={WHITE}
          tint={TINT.light}
          text="#1b1f23"
          on="#ffffff"
        />
        <Preview
          name="Tema escuro"
          color={colors.dark}
          ground={DARK_GROUND}
          tint={TINT.dark}
          text="#e9ecee"
          on="#0b1014"
        />
      </div>
      <p role="status" className="text-muted-foreground text-sm">
        {isDarkened
          ? `Textos na cor ${value} não seriam legíveis em fundo claro. O portal usa um tom mais escuro dela, ${colors.light}.`
          : 'Em fundo escuro o portal usa um tom mais claro da cor, para que os textos continuem legíveis.'}
      </p>
    </div>
  );
}

type PreviewProps = { name: string; color: string; ground: Rgb; tint: number; text: string; on: string };

function Preview({ name, color, ground, tint, text, on }: PreviewProps) {
  const subtle = formatColor(mix(parseColor(color) ?? ground, ground, tint));
  return (
    <div
      className="border-border flex flex-wrap items-center gap-x-4 gap-y-2 rounded border p-4 text-sm"
      style={{ background: formatColor(ground), color: text }}
    >
      <span className="w-full font-medium">{name}</span>
      <span className="rounded px-3 py-2 font-medium" style={{ background: color, color: on }}>
        Botão
      </span>
      <span className="font-medium underline underline-offset-4" style={{ color }}>
        Link
      </span>
      <span className="rounded px-2 py-1 font-medium" style={{ background: subtle, color }}>
        Destaque
      </span>
    </div>
  );
}
