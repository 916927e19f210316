// The scheduled publications, with the time to undo them.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { cancelPublicationAt, inboxKeys, type Publication, publicationsQuery } from '~/features/inbox/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { Alert, AlertRow } from '~/ui/alert';
import { Button } from '~/ui/button';

/** Seconds from which a publication is announced by its time instead of a countdown. */
const COUNTDOWN_SECONDS = 120;

export function ScheduleNotice({ scheduled }: { scheduled: number }) {
  const publications = useQuery({ ...publicationsQuery(), enabled: scheduled > 0 });
  const now = useNow(scheduled > 0);
  if (scheduled === 0 || !publications.data?.length) return null;
  return (
    <Alert variant="info">
      <ul className="flex flex-col gap-3">
        {publications.data.map((publication) => (
          <PublicationItem key={publication.publish_at} publication={publication} now={now} />
        ))}
      </ul>
    </Alert>
  );
}

function PublicationItem({ publication, now }: { publication: Publication; now: number }) {
  const undo = useApiMutation({
    mutationFn: () => cancelPublicationAt(publication.publish_at),
    invalidates: [inboxKeys.all],
    successToast: { title: 'Publicação desfeita', description: 'Nenhum aviso foi enviado.' },
    errorToast: { title: 'Erro ao desfazer a publicação' },
  });
  return (
    <AlertRow
      as="li"
      action={
        <Button variant="secondary" pending={undo.isPending} onClick={() => undo.mutate()}>
          Desfazer
        </Button>
      }
    >
      <p className="tabular-nums">{announce(publication, now)}</p>
    </AlertRow>
  );
}

function announce({ publish_at: at, count }: Publication, now: number): string {
  const left = Math.max(0, Math.ceil((Date.parse(at) - now) / 1000));
  const what = pluralize(count, 'documento será publicado', 'documentos serão publicados');
  const when = left < COUNTDOWN_SECONDS ? `em ${left} s` : `em ${formatDateTime(at)}`;
  return `${what} ${when}. Até lá, nenhum cliente vê nada e nenhum aviso sai.`;
}

/** The time of the page, renewed every second while `running`. */
function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
