// The publication that is under way, with the time to undo it.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { cancelPublication, inboxFilesQuery, inboxKeys } from '~/features/inbox/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

/** Seconds from which a publication is announced by its time instead of a countdown. */
const COUNTDOWN_SECONDS = 120;

export function ScheduleNotice({ scheduled }: { scheduled: number }) {
  const files = useInfiniteQuery({ ...inboxFilesQuery('scheduled'), enabled: scheduled > 0 });
  const at = scheduled > 0 ? (files.data?.pages[0]?.[0]?.publish_at ?? null) : null;
  const left = useSecondsUntil(at);
  const undo = useApiMutation({
    mutationFn: cancelPublication,
    invalidates: [inboxKeys.all],
    successToast: { title: 'Publicação desfeita', description: 'Nenhum aviso foi enviado.' },
    errorToast: { title: 'Erro ao desfazer a publicação' },
  });
  if (at === null || left === null) return null;
  const what = pluralize(scheduled, 'documento será publicado', 'documentos serão publicados');
  const when = left < COUNTDOWN_SECONDS ? `em ${left} s` : `em ${formatDateTime(at)}`;
  return (
    <Alert variant="info">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="tabular-nums">{`${what} ${when}. Até lá, nenhum cliente vê nada e nenhum aviso sai.`}</p>
        <Button variant="secondary" pending={undo.isPending} onClick={() => undo.mutate(null)}>
          Desfazer
        </Button>
      </div>
    </Alert>
  );
}

function useSecondsUntil(at: string | null): number | null {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (at === null) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [at]);
  return at === null ? null : Math.max(0, Math.ceil((Date.parse(at) - now) / 1000));
}
