// Result of a bulk upload: what was sent to which client, and what was not sent.
import { type RefObject, useEffect } from 'react';

import { pluralize } from '~/lib/format';
import { cn } from '~/ui/cn';

import { type BulkUploadItem, clientName, countByClient, isPending, shownFileName } from './bulk-upload-item';

type BulkUploadReportProps = { items: readonly BulkUploadItem[]; ref: RefObject<HTMLElement | null> };

/** The result of the runs so far. It receives the focus when it appears, at the end of a run. */
export function BulkUploadReport({ items, ref }: BulkUploadReportProps) {
  // A dialog that closes in the same render returns the focus in a microtask, to the button that opened it.
  useEffect(() => queueMicrotask(() => ref.current?.focus()), [ref]);
  const failed = items.filter(
    ({ validationError, state }) => validationError !== undefined || state.step === 'failed',
  );
  const waiting = items.filter((item) => isPending(item) && item.state.step === 'waiting');
  const leftOut = items.filter(({ decision, state }) => decision === 'left-out' && state.step !== 'sent');
  const sent = countByClient(items.map(({ state }) => (state.step === 'sent' ? state.client : null)));
  const total = sent.reduce((sum, { count }) => sum + count, 0);
  return (
    <section
      ref={ref}
      tabIndex={-1}
      aria-label="Resultado do envio"
      className={cn(
        'rounded px-4 py-3 text-body wrap-anywhere',
        failed.length === 0 ? 'bg-success-subtle' : 'bg-warning-subtle',
      )}
    >
      <h2 className="text-body font-medium tabular-nums">
        {pluralize(total, 'documento enviado', 'documentos enviados')}
      </h2>
      <ul className="mt-1 flex flex-col gap-1 tabular-nums">
        {sent.map(({ client, count }) => (
          <li key={client.id}>
            <span className="font-medium">{clientName(client)}:</span>{' '}
            {pluralize(count, 'documento', 'documentos')}
          </li>
        ))}
        <FileNames title={leftOut.length === 1 ? 'Deixado de fora' : 'Deixados de fora'} items={leftOut} />
        <FileNames title="Com erro" items={failed} />
        <FileNames
          title={waiting.length === 1 ? 'Ainda não enviado' : 'Ainda não enviados'}
          items={waiting}
        />
      </ul>
    </section>
  );
}

function FileNames({ title, items }: { title: string; items: readonly BulkUploadItem[] }) {
  if (items.length === 0) return null;
  return (
    <li>
      <span className="font-medium">{title}:</span> {items.map(shownFileName).join(', ')}
    </li>
  );
}
