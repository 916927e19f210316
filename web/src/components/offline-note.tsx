import { CloudOff } from 'lucide-react';
import { use } from 'react';

import { listsRestored } from '~/lib/lists-restored';
import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';

/** A placeholder for data that the browser has not kept, while there is no network. */
export function OfflineNote({ card }: { card: boolean }) {
  use(listsRestored);
  const note = (
    <EmptyState
      icon={<CloudOff size={26} />}
      title="Não disponível sem conexão"
      hint="Aparece aqui quando a internet voltar."
    />
  );
  return card ? <Card>{note}</Card> : note;
}
