// Profile card of the notification preferences.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { QueryContent } from '~/components/query-content';
import {
  notificationPreferenceKeys,
  notificationPreferencesQuery,
  setNotificationEnabled,
} from '~/features/profile/api/notification-preferences';
import { useApiMutation } from '~/hooks/use-api-mutation';
import type { NotificationTopic } from '~/lib/api/database';
import { Panel } from '~/ui/card';
import { Checkbox } from '~/ui/checkbox';
import { SkeletonList } from '~/ui/skeleton';

const TOPICS: { topic: NotificationTopic; label: string; hint: string }[] = [
  { topic: 'documents', label: 'Novos documentos', hint: 'Quando o escritório envia um documento.' },
  { topic: 'expiries', label: 'Vencimentos', hint: 'Quando um documento está para vencer ou venceu.' },
  { topic: 'requests', label: 'Solicitações', hint: 'Quando o escritório pede um documento.' },
  { topic: 'tickets', label: 'Tickets', hint: 'Quando há resposta ou mudança em um ticket seu.' },
];

export function NotificationsCard() {
  const muted = useQuery(notificationPreferencesQuery());
  return (
    <Panel title="Avisos por e-mail">
      <QueryContent
        query={muted}
        loading={<SkeletonList rows={4} className="p-5" rowClassName="h-12" />}
        className="py-8"
      >
        {(data) => (
          <fieldset className="flex flex-col gap-1 p-5">
            <legend className="sr-only">Avisos que você quer receber</legend>
            {TOPICS.map((entry) => (
              <Choice key={entry.topic} {...entry} wanted={!data.includes(entry.topic)} />
            ))}
            <p className="text-muted-foreground mt-2 text-sm">
              Avisos sobre a sua conta e a sua segurança são sempre enviados.
            </p>
          </fieldset>
        )}
      </QueryContent>
    </Panel>
  );
}

type ChoiceProps = { topic: NotificationTopic; label: string; hint: string; wanted: boolean };

function Choice({ topic, label, hint, wanted }: ChoiceProps) {
  const [chosen, setChosen] = useState(wanted);
  const save = useApiMutation({
    mutationFn: setNotificationEnabled,
    invalidates: [notificationPreferenceKeys.all],
    successToast: (_, choice) => ({
      title: choice.wanted ? 'Aviso ligado' : 'Aviso desligado',
      description: label,
    }),
    errorToast: { title: 'Erro', fallback: 'Não foi possível salvar a escolha. Tente novamente.' },
  });
  return (
    <Checkbox
      label={label}
      hint={hint}
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
