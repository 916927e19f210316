// Card of the notifications that this device and others show while the portal is closed.
import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useState } from 'react';

import { QueryContent } from '~/components/query-content';
import type { NotificationArea } from '~/features/notifications/api/notifications';
import {
  type PushDevice,
  pushKeys,
  type PushSettings,
  pushSettingsQuery,
  type PushTopic,
  setPushTopic,
} from '~/features/notifications/api/push';
import {
  activatePush,
  findOwnDevice,
  PushDeniedError,
  pushSupport,
  type PushSupport,
  removeDevice,
} from '~/features/notifications/push-browser';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { registerErrorMessages } from '~/lib/api/error-messages';
import { formatDateTime } from '~/lib/dates';
import { Alert } from '~/ui/alert';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Checkbox } from '~/ui/checkbox';
import { SkeletonList } from '~/ui/skeleton';

registerErrorMessages({
  too_many_devices: 'Há 10 aparelhos com notificações. Remova um da lista e tente de novo.',
});

type Topic = { topic: PushTopic; label: string };

const TOPICS: Record<NotificationArea, Topic[]> = {
  portal: [
    { topic: 'documents', label: 'Documentos no aparelho' },
    { topic: 'requests', label: 'Pedidos do escritório no aparelho' },
    { topic: 'tickets', label: 'Atendimentos no aparelho' },
    { topic: 'reminders', label: 'Lembretes no aparelho' },
  ],
  admin: [
    { topic: 'tickets', label: 'Atendimentos no aparelho' },
    { topic: 'received_files', label: 'Envios no aparelho' },
    { topic: 'approvals', label: 'Aprovações e recusas no aparelho' },
    { topic: 'payments', label: 'Pagamentos no aparelho' },
    { topic: 'reminders', label: 'Lembretes no aparelho' },
  ],
};

const obstacles: Record<Exclude<PushSupport, 'ready'>, string> = {
  denied:
    'O navegador bloqueou as notificações deste portal. Libere-as no ícone ao lado do endereço, ou nas configurações do navegador, e recarregue a página.',
  'needs-install':
    'No iPhone e no iPad, primeiro adicione o portal à tela de início: toque em Compartilhar, depois em Adicionar à Tela de Início. Abra o portal pelo novo ícone e ative as notificações nesta página.',
  unsupported:
    'Este navegador não mostra notificações com o portal fechado. Use uma versão atual do Chrome, do Edge, do Firefox ou do Safari.',
};

export function PushCard({ area }: { area: NotificationArea }) {
  const settings = useQuery(pushSettingsQuery());
  return (
    <Panel title="Avisos no celular e no computador">
      <QueryContent
        query={settings}
        loading={<SkeletonList rows={3} className="p-5" rowClassName="h-12" />}
        className="py-8"
      >
        {(data) => <Settings settings={data} topics={TOPICS[area]} />}
      </QueryContent>
    </Panel>
  );
}

function Settings({ settings, topics }: { settings: PushSettings; topics: Topic[] }) {
  const [support, setSupport] = useState(pushSupport);
  const own = useQuery({
    queryKey: [...pushKeys.all, 'own', settings.devices.map(({ id }) => id)],
    queryFn: async () => (await findOwnDevice(settings.devices))?.id ?? null,
  });
  const activate = useApiMutation({
    mutationFn: activatePush,
    invalidates: [pushKeys.all],
    successToast: { title: 'Notificações ativadas neste aparelho' },
    errorToast: {
      title: 'Notificações não ativadas',
      fallback: 'O navegador não permitiu ou não tem conexão. Aceite a pergunta dele e tente novamente.',
    },
    onError: (error) => error instanceof PushDeniedError && setSupport(pushSupport()),
  });
  return (
    <div className="flex flex-col gap-5 p-5">
      <p className="text-muted-foreground text-sm">
        Avisos curtos, sem nomes de pessoas ou documentos, mesmo com o portal fechado.
      </p>
      {support === 'ready' ? (
        own.data === null && (
          <Button
            className="self-start"
            pending={activate.isPending}
            onClick={() => activate.mutate(settings)}
            icon={<Bell size={18} aria-hidden />}
          >
            Ativar notificações neste aparelho
          </Button>
        )
      ) : (
        <Alert variant="info">{obstacles[support]}</Alert>
      )}
      {settings.devices.length > 0 && (
        <>
          <ul className="divide-border -mx-5 divide-y" aria-label="Aparelhos com notificações">
            {settings.devices.map((device) => (
              <DeviceItem key={device.id} device={device} isOwn={device.id === own.data} />
            ))}
          </ul>
          <fieldset className="flex flex-col gap-1">
            <legend className="sr-only">Assuntos que os aparelhos mostram</legend>
            {topics.map((entry) => (
              <TopicChoice
                key={entry.topic}
                {...entry}
                wanted={!settings.muted_topics.includes(entry.topic)}
              />
            ))}
          </fieldset>
        </>
      )}
    </div>
  );
}

function DeviceItem({ device, isOwn }: { device: PushDevice; isOwn: boolean }) {
  const remove = useApiMutation({
    mutationFn: removeDevice,
    invalidates: [pushKeys.all],
    successToast: { title: 'Aparelho removido', description: device.device_name },
    errorToast: { title: 'Erro', fallback: 'Não foi possível remover o aparelho. Tente novamente.' },
  });
  const added = formatDateTime(device.created_at);
  return (
    <li className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-5 py-3.5">
      <div className="min-w-48 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {device.device_name}
          {isOwn && <Badge tone="success">Este aparelho</Badge>}
        </p>
        <p className="text-muted-foreground text-sm tabular-nums">Ativado em {added}</p>
        {device.last_used_at !== null && (
          <p className="text-muted-foreground text-sm tabular-nums">
            Último aviso em {formatDateTime(device.last_used_at)}
          </p>
        )}
      </div>
      <Button
        variant="quiet-danger"
        aria-label={`Remover ${device.device_name}, ativado em ${added}`}
        pending={remove.isPending}
        onClick={() => remove.mutate(device)}
      >
        Remover
      </Button>
    </li>
  );
}

function TopicChoice({ topic, label, wanted }: Topic & { wanted: boolean }) {
  const [chosen, setChosen] = useState(wanted);
  const save = useApiMutation({
    mutationFn: setPushTopic,
    invalidates: [pushKeys.all],
    successToast: (_, choice) => ({
      title: choice.wanted ? 'Aviso ligado' : 'Aviso desligado',
      description: label,
    }),
    errorToast: { title: 'Erro', fallback: 'Não foi possível salvar a escolha. Tente novamente.' },
  });
  return (
    <Checkbox
      label={label}
      // Optimistic value during the request.
      checked={save.isPending ? chosen : wanted}
      onChange={({ target }) => {
        // Ignored during a request, because the order of concurrent requests is undefined.
        if (save.isPending) return;
        setChosen(target.checked);
        save.mutate({ topic, wanted: target.checked });
      }}
    />
  );
}
