import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import {
  mutedTopicKeys,
  mutedTopicsQuery,
  setTopicWanted,
} from '~/features/profile/api/notification-preferences';
import { useAction } from '~/hooks/use-api-mutation';
import type { Topic } from '~/lib/api/database.types';
import { Panel } from '~/ui/card';
import { CheckBox } from '~/ui/checkbox';
import { ErrorState } from '~/ui/error-state';
import { SkeletonList } from '~/ui/skeleton';

const TOPICS: { topic: Topic; label: string; hint: string }[] = [
  { topic: 'documents', label: 'Novos documentos', hint: 'Quando o escritório envia um documento.' },
  { topic: 'expiries', label: 'Vencimentos', hint: 'Quando um documento está para vencer ou venceu.' },
  { topic: 'tickets', label: 'Tickets', hint: 'Quando há resposta ou mudança em um ticket seu.' },
];

export function ProfileNotices() {
  const muted = useQuery(mutedTopicsQuery());
  return (
    <Panel title="Avisos por e-mail">
      {muted.isPending && <SkeletonList rows={3} className="p-5" rowClassName="h-12" />}
      {muted.isError && <ErrorState onRetry={() => void muted.refetch()} className="py-8" />}
      {muted.data && (
        <fieldset className="flex flex-col gap-1 p-5">
          <legend className="sr-only">Avisos que você quer receber</legend>
          {TOPICS.map((entry) => (
            <Choice key={entry.topic} {...entry} wanted={!muted.data.includes(entry.topic)} />
          ))}
          <p className="text-muted mt-2 text-sm">
            Avisos sobre a sua conta e a sua segurança são sempre enviados.
          </p>
        </fieldset>
      )}
    </Panel>
  );
}

type ChoiceProps = { topic: Topic; label: string; hint: string; wanted: boolean };

function Choice({ topic, label, hint, wanted }: ChoiceProps) {
  const [chosen, setChosen] = useState(wanted);
  const save = useAction({
    run: setTopicWanted,
    refreshes: [mutedTopicKeys.all],
    success: (_, choice) => ({
      title: choice.wanted ? 'Aviso ligado' : 'Aviso desligado',
      description: label,
    }),
    failure: { title: 'Erro', fallback: 'Não foi possível salvar a escolha. Tente novamente.' },
  });
  return (
    <CheckBox
      label={label}
      hint={hint}
      // What was just chosen stands until the server has said otherwise.
      checked={save.pending ? chosen : wanted}
      onChange={({ target }) => {
        // Of two that are under way at once, either could be the last.
        if (save.pending) return;
        setChosen(target.checked);
        save.run({ topic, wanted: target.checked });
      }}
    />
  );
}
