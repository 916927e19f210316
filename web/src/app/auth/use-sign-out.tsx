import { lazy, type ReactNode, Suspense, useState } from 'react';

import { useUser } from '~/features/auth/session';
import { useAction } from '~/hooks/use-api-mutation';
import { placesOf } from '~/lib/drafts/draft-keys';

import { leave } from './auth-middleware';

// Loaded when it is first asked for: most people leave nothing behind.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

const UNSENT = {
  title: 'Sair sem enviar?',
  description:
    'Há mensagens que você escreveu e ainda não enviou. Ao sair, elas são apagadas deste navegador.',
  confirm: 'Apagar e sair',
};
const UNSAVED = {
  title: 'Sair sem salvar?',
  description: 'O que foi preenchido nesta página ainda não foi salvo.',
  confirm: 'Sair sem salvar',
};

/** 'Sair', and the question before it when something was written and neither sent nor saved: it stays with nobody. */
export function useSignOut(): { run: () => void; pending: boolean; question: ReactNode } {
  const { id } = useUser();
  const [asking, setAsking] = useState(false);
  // The dialog stays for as long as it takes to fade away.
  const [asked, setAsked] = useState<typeof UNSENT>();
  const signOut = useAction({
    run: leave,
    success: { title: 'Logout realizado com sucesso!' },
    failure: {
      title: 'Erro ao fazer logout',
      fallback: 'Não foi possível encerrar a sessão. Tente novamente.',
    },
  });
  const run = () => {
    const loss = placesOf(id).length > 0 ? UNSENT : isPageUnsaved() ? UNSAVED : undefined;
    if (!loss) return signOut.run();
    setAsked(loss);
    setAsking(true);
  };
  return {
    run,
    pending: signOut.pending,
    question: asked && (
      <Suspense>
        <ConfirmDialog
          {...asked}
          open={asking}
          onOpenChange={setAsking}
          danger
          pending={signOut.pending}
          onConfirm={() => signOut.run()}
        />
      </Suspense>
    ),
  };
}

/** Asks the page what the browser asks it before its tab is closed. */
function isPageUnsaved(): boolean {
  return !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
}
