import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { mutedTopicKeys, mutedTopicsQuery, setTopicWanted } from '~/data/muted-topics';
import type { Topic } from '~/lib/tables';
import { useAction } from '~/lib/use-action';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';
import { ErrorState } from '~/ui/states';

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
  const id = useId();
  const hintId = `${id}-hint`;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const save = useAction({
    run: setTopicWanted,
    refreshes: [mutedTopicKeys.all],
    success: (_, choice) => ({
      title: choice.wanted ? 'Aviso ligado' : 'Aviso desligado',
      description: label,
    }),
    failure: { title: 'Erro', fallback: 'Não foi possível salvar a escolha. Tente novamente.' },
    onFailure: () => setChosen(null),
  });
  return (
    <div className="flex min-h-11 items-start gap-3 py-2">
      <input
        id={id}
        type="checkbox"
        // What was just chosen stands until the server has said otherwise.
        checked={chosen ?? wanted}
        aria-describedby={hintId}
        onChange={(event) => {
          setChosen(event.target.checked);
          save.run({ topic, wanted: event.target.checked });
        }}
        className="accent-primary mt-0.5 size-5 shrink-0"
      />
      <div>
        <label htmlFor={id} className="block cursor-pointer leading-6 font-medium">
          {label}
        </label>
        <p id={hintId} className="text-muted text-sm">
          {hint}
        </p>
      </div>
    </div>
  );
}
