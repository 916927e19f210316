import { lazy, type ReactNode, Suspense, useState } from 'react';

import { useSignOut } from '~/app/sign-out';
import { useUser } from '~/data/session';
import { placesOf } from '~/lib/draft-places';

// Loaded when it is first asked for: most people leave nothing unsent.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/dialog')).ConfirmDialog }));

/** 'Sair', and the question before it when something was written and not sent: it stays with nobody. */
export function useClientSignOut(): { run: () => void; pending: boolean; question: ReactNode } {
  const { id } = useUser();
  const signOut = useSignOut();
  const [asking, setAsking] = useState<'not yet' | 'open' | 'shut'>('not yet');
  return {
    run: () => (placesOf(id).length > 0 ? setAsking('open') : signOut.run()),
    pending: signOut.pending,
    question: asking !== 'not yet' && (
      <Suspense>
        <ConfirmDialog
          open={asking === 'open'}
          onOpenChange={(open) => setAsking(open ? 'open' : 'shut')}
          title="Sair sem enviar?"
          description="Há mensagens que você escreveu e ainda não enviou. Ao sair, elas são apagadas deste navegador."
          confirm="Apagar e sair"
          danger
          pending={signOut.pending}
          onConfirm={() => signOut.run()}
        />
      </Suspense>
    ),
  };
}
