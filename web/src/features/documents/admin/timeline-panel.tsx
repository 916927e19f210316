// Card with the timeline of a document: publication, mails, reminders, openings and payments, and its proof as a PDF.
import { useQuery } from '@tanstack/react-query';
import { FileCheck } from 'lucide-react';

import { QueryContent } from '~/components/query-content';
import { downloadProof, type TimelineEntry, timelineQuery } from '~/features/documents/api/delivery-proof';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

export function TimelinePanel({ document }: { document: { id: string; name: string } }) {
  const timeline = useQuery(timelineQuery(document.id));
  const proof = useApiMutation({
    mutationFn: downloadProof,
    successToast: { title: 'Comprovante emitido' },
    errorToast: { title: 'Erro ao emitir o comprovante' },
  });
  return (
    <Panel
      title="Linha do tempo"
      action={
        <Button
          variant="quiet"
          icon={<FileCheck size={18} aria-hidden />}
          pending={proof.isPending}
          onClick={() => proof.mutate(document)}
        >
          Comprovante de entrega
        </Button>
      }
    >
      <QueryContent
        query={timeline}
        loading={<SkeletonList rows={3} className="p-5" rowClassName="h-12" />}
        className="py-8"
      >
        {(entries) => (
          <ol aria-label="Linha do tempo" className="max-h-[32rem] overflow-y-auto px-5 py-4">
            {entries.map((entry, index) => (
              // Several entries may have the same time.
              <Entry key={index} entry={entry} />
            ))}
          </ol>
        )}
      </QueryContent>
    </Panel>
  );
}

function Entry({ entry: { at, title, person, detail, number } }: { entry: TimelineEntry }) {
  return (
    <li className="border-border relative border-l pb-5 pl-5 last:pb-0">
      <span
        aria-hidden
        className="bg-primary ring-card absolute top-1.5 -left-[0.3125rem] size-2.5 rounded-full ring-4"
      />
      <p className="font-medium">{title}</p>
      <p className="text-muted-foreground text-sm tabular-nums">
        <time dateTime={at}>{formatDateTime(at)}</time>
        {person !== null && ` · ${person}`}
      </p>
      {detail !== null && <p className="text-sm wrap-anywhere">{detail}</p>}
      {number !== null && (
        <p className="text-muted-foreground text-caption tabular-nums">Registro nº {number}</p>
      )}
    </li>
  );
}
