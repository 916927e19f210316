// The office's logo in the form of its settings.
import { ImageUp, Trash2 } from 'lucide-react';
import { useId, useRef, useState } from 'react';

import { Button } from '~/ui/button';

import { LOGO_TYPES, toLogo } from './logo-file';

type LogoFieldProps = { value: string; onChange: (logo: string) => void };

export function LogoField({ value, onChange }: LogoFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string | null>(null);
  async function choose(file: File | undefined) {
    if (!file) return;
    try {
      onChange(await toLogo(file));
      setError(null);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={id} className="text-sm font-medium">
        Logotipo
      </label>
      <div className="flex flex-wrap items-center gap-3">
        {value !== '' && (
          <span className="border-border flex h-20 max-w-full items-center rounded border bg-white px-4">
            <img src={value} alt="Logotipo escolhido" className="max-h-14 w-auto max-w-52 object-contain" />
          </span>
        )}
        <input
          ref={input}
          id={id}
          type="file"
          accept={LOGO_TYPES}
          aria-describedby={`${id}-hint`}
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void choose(event.target.files?.[0]);
            // The same file can be chosen again.
            event.target.value = '';
          }}
        />
        <Button
          variant="secondary"
          icon={<ImageUp size={20} aria-hidden />}
          onClick={() => input.current?.click()}
        >
          {value === '' ? 'Escolher imagem' : 'Trocar imagem'}
        </Button>
        {value !== '' && (
          <Button variant="quiet" icon={<Trash2 size={20} aria-hidden />} onClick={() => onChange('')}>
            Remover logotipo
          </Button>
        )}
      </div>
      {error !== null && (
        <p role="alert" className="text-danger text-sm">
          {error}
        </p>
      )}
      <p id={`${id}-hint`} className="text-muted-foreground text-sm">
        PNG ou SVG. Aparece sobre fundo branco no cabeçalho, na entrada, nos e-mails, no comprovante de
        entrega e no ícone do portal instalado.
      </p>
    </div>
  );
}
