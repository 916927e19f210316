import { useQuery } from '@tanstack/react-query';
import { MonitorSmartphone, Smartphone } from 'lucide-react';

import {
  endOpenSession,
  endOtherSessions,
  type OpenSession,
  openSessionKeys,
  openSessionsQuery,
} from '~/features/profile/api/active-sessions';
import { deviceOf } from '~/features/profile/device-name';
import { useAction } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';
import { SkeletonList } from '~/ui/skeleton';

export function ProfileSessions() {
  const sessions = useQuery(openSessionsQuery());
  const endOthers = useAction({
    run: endOtherSessions,
    refreshes: [openSessionKeys.all],
    success: { title: 'Outros dispositivos desconectados' },
    failure: { title: 'Erro', fallback: 'Não foi possível desconectar. Tente novamente.' },
  });
  const hasOthers = sessions.data?.some(({ isThisOne }) => !isThisOne);
  return (
    <Panel title="Dispositivos conectados">
      {sessions.isPending && <SkeletonList rows={2} className="p-5" rowClassName="h-14" />}
      {sessions.isError && <ErrorState onRetry={() => void sessions.refetch()} className="py-8" />}
      {sessions.data && (
        <ul className="divide-hairline divide-y" aria-label="Dispositivos conectados">
          {sessions.data.map((session) => (
            <Device key={session.id} session={session} />
          ))}
        </ul>
      )}
      {hasOthers && (
        <div className="border-hairline border-t p-5">
          <Button variant="secondary" pending={endOthers.pending} onClick={() => endOthers.run()}>
            Sair dos outros dispositivos
          </Button>
        </div>
      )}
    </Panel>
  );
}

function Device({ session }: { session: OpenSession }) {
  const device = deviceOf(session.user_agent);
  const began = formatDateTime(session.created_at);
  const end = useAction({
    run: endOpenSession,
    refreshes: [openSessionKeys.all],
    success: { title: 'Dispositivo desconectado', description: device.name },
    failure: { title: 'Erro', fallback: 'Não foi possível desconectar. Tente novamente.' },
  });
  const Icon = device.isPhone ? Smartphone : MonitorSmartphone;
  return (
    <li className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-5 py-3.5">
      <Icon size={20} aria-hidden className="text-muted shrink-0" />
      <div className="min-w-48 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {device.name}
          {session.isThisOne && <Badge tone="open">Este dispositivo</Badge>}
        </p>
        <p className="text-muted tabular text-sm">Conectado em {began}</p>
        <p className="text-muted tabular text-sm">Último uso em {formatDateTime(session.refreshed_at)}</p>
      </div>
      {!session.isThisOne && (
        <Button
          variant="quiet-danger"
          aria-label={`Desconectar ${device.name}, conectado em ${began}`}
          pending={end.pending}
          onClick={() => end.run(session.id)}
        >
          Desconectar
        </Button>
      )}
    </li>
  );
}
