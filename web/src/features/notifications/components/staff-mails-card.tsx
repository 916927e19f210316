// Card of the mails that a member of the staff wants about what clients do.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { QueryContent } from '~/components/query-content';
import {
  chooseStaffMail,
  staffMailChoicesQuery,
  staffMailKeys,
} from '~/features/notifications/api/staff-mails';
import { useApiMutation } from '~/hooks/use-api-mutation';
import type { StaffMailDelivery, StaffMailTopic } from '~/lib/api/database';
import { Panel } from '~/ui/card';
import { Field } from '~/ui/field';
import { Select, toOptions } from '~/ui/select';
import { SkeletonList } from '~/ui/skeleton';

const TOPICS: { topic: StaffMailTopic; label: string; hint: string }[] = [
  { topic: 'new_tickets', label: 'Tickets novos', hint: 'Quando um cliente abre um ticket.' },
  {
    topic: 'client_replies',
    label: 'Mensagens de clientes',
    hint: 'Em um ticket com responsável, só ele recebe.',
  },
  {
    topic: 'received_files',
    label: 'Arquivos recebidos',
    hint: 'Quando um cliente responde a uma solicitação ou envia arquivos.',
  },
  {
    topic: 'approval_answers',
    label: 'Respostas a documentos',
    hint: 'Quando um cliente aprova, recusa ou confirma a leitura.',
  },
];

const deliveryLabels: Record<StaffMailDelivery, string> = {
  none: 'Não receber',
  at_once: 'Na hora',
  daily: 'Resumo diário',
};

const OPTIONS = toOptions(deliveryLabels);

const isDelivery = (value: string): value is StaffMailDelivery => value in deliveryLabels;

export function StaffMailsCard() {
  const choices = useQuery(staffMailChoicesQuery());
  return (
    <Panel title="Meus avisos por e-mail">
      <QueryContent
        query={choices}
        loading={<SkeletonList rows={4} className="p-5" rowClassName="h-20" />}
        className="py-8"
      >
        {(data) => (
          <div className="flex flex-col gap-5 p-5">
            <p className="text-muted-foreground text-sm">
              O resumo diário sai às 8 horas dos dias úteis, com o que você ainda não viu em Notificações.
            </p>
            {TOPICS.map((entry) => (
              <Choice key={entry.topic} {...entry} saved={data[entry.topic] ?? 'none'} />
            ))}
          </div>
        )}
      </QueryContent>
    </Panel>
  );
}

type ChoiceProps = { topic: StaffMailTopic; label: string; hint: string; saved: StaffMailDelivery };

function Choice({ topic, label, hint, saved }: ChoiceProps) {
  const [chosen, setChosen] = useState(saved);
  const save = useApiMutation({
    mutationFn: chooseStaffMail,
    invalidates: [staffMailKeys.all],
    successToast: (_, { delivery }) => ({
      title: 'Escolha salva',
      description: `${label}: ${deliveryLabels[delivery]}`,
    }),
    errorToast: { title: 'Erro', fallback: 'Não foi possível salvar a escolha. Tente novamente.' },
    onError: () => setChosen(saved),
  });
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Select
          {...control}
          options={OPTIONS}
          value={chosen}
          // Ignored during a request, because the order of concurrent requests is undefined.
          aria-disabled={save.isPending || undefined}
          onChange={({ target }) => {
            const { value } = target;
            if (save.isPending || !isDelivery(value)) return;
            setChosen(value);
            save.mutate({ topic, delivery: value });
          }}
        />
      )}
    </Field>
  );
}
