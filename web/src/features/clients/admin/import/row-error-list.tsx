// List of the row errors of a client import, shown a hundred at a time.
import { useState } from 'react';

import { formatInteger } from '~/lib/format';
import { Button } from '~/ui/button';

import type { RowError } from './parse-clients-csv';

const SHOWN = 100;

export function RowErrorList({ title, faults }: { title: string; faults: readonly RowError[] }) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <section aria-label={title}>
      <h3 className="mb-2 font-medium">{title}</h3>
      <ul className="border-border divide-border text-body divide-y rounded border">
        {faults.slice(0, shown).map(({ line, who, reason }) => (
          <li key={line} className="flex flex-wrap gap-x-4 gap-y-0.5 px-4 py-2.5">
            <span className="text-muted-foreground w-20 shrink-0 tabular-nums">
              Linha {formatInteger(line)}
            </span>
            <span className="min-w-0 flex-1 basis-56 wrap-anywhere">{who}</span>
            <span className="text-danger basis-64">{reason}</span>
          </li>
        ))}
      </ul>
      {faults.length > shown && (
        <Button variant="quiet" className="mt-2" onClick={() => setShown(shown + SHOWN)}>
          Mostrar mais {formatInteger(Math.min(SHOWN, faults.length - shown))} de{' '}
          {formatInteger(faults.length)}
        </Button>
      )}
    </section>
  );
}
