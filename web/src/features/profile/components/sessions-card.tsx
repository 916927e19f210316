// Active sessions of the signed-in person, by device.
import { useQuery } from '@tanstack/react-query';
import { MonitorSmartphone, Smartphone } from 'lucide-react';

import { QueryContent } from '~/components/query-content';
import {
  revokeSession,
  revokeOtherSessions,
  type ActiveSession,
  activeSessionKeys,
  activeSessionsQuery,
} from '~/features/profile/api/active-sessions';
import { describeUserAgent } from '~/features/profile/device-name';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

export function SessionsCard() {
  const sessions = useQuery(activeSessionsQuery());
  const endOthers = useApiMutation({
    mutationFn: revokeOtherSessions,
    invalidates: [activeSessionKeys.all],
    successToast: { title: 'Outros dispositivos desconectados' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível desconectar. Tente novamente.' },
  });
  const hasOthers = sessions.data?.some(({ isCurrent }) => !isCurrent);
  return (
    <Panel title="Dispositivos conectados">
      <QueryContent
        query={sessions}
        loading={<SkeletonList rows={2} className="p-5" rowClassName="h-14" />}
        className="py-8"
      >
        {(data) => (
          <ul className="divide-border divide-y" aria-label="Dispositivos conectados">
            {data.map((session) => (
              <Device key={session.id} session={session} />
            ))}
          </ul>
        )}
      </QueryContent>
      {hasOthers && (
        <div className="border-border border-t p-5">
          <Button variant="secondary" pending={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sair dos outros dispositivos
          </Button>
        </div>
      )}
    </Panel>
  );
}

function Device({ session }: { session: ActiveSession }) {
  const device = describeUserAgent(session.user_agent);
  const began = formatDateTime(session.created_at);
  const end = useApiMutation({
    mutationFn: revokeSession,
    invalidates: [activeSessionKeys.all],
    successToast: { title: 'Dispositivo desconectado', description: device.name },
    errorToast: { title: 'Erro', fallback: 'Não foi possível desconectar. Tente novamente.' },
  });
  const Icon = device.isPhone ? Smartphone : MonitorSmartphone;
  return (
    <li className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-5 py-3.5">
      <Icon size={20} aria-hidden className="text-muted-foreground shrink-0" />
      <div className="min-w-48 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {device.name}
          {session.isCurrent && <Badge tone="success">Este dispositivo</Badge>}
        </p>
        <p className="text-muted-foreground text-sm tabular-nums">Conectado em {began}</p>
        <p className="text-muted-foreground text-sm tabular-nums">
          Último uso em {formatDateTime(session.refreshed_at)}
        </p>
      </div>
      {!session.isCurrent && (
        <Button
          variant="quiet-danger"
          aria-label={`Desconectar ${device.name}, conectado em ${began}`}
          pending={end.isPending}
          onClick={() => end.mutate(session.id)}
        >
          Desconectar
        </Button>
      )}
    </li>
  );
}
