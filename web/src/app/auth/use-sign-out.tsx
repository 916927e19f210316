import { lazy, type ReactNode, Suspense, useState } from 'react';

import { useUser } from '~/features/auth/session';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { listDraftKeys } from '~/lib/drafts/draft-keys';

import { signOutAndClearDrafts } from './auth-middleware';

// Loaded when it is first asked for: most people leave nothing behind.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

const UNSENT_DRAFTS = {
  title: 'Sair sem enviar?',
  description:
    'Há mensagens que você escreveu e ainda não enviou. Ao sair, elas são apagadas deste navegador.',
  confirm: 'Apagar e sair',
};
const UNSAVED_FORM = {
  title: 'Sair sem salvar?',
  description: 'O que foi preenchido nesta página ainda não foi salvo.',
  confirm: 'Sair sem salvar',
};

/** 'Sair', and the question before it when something was written and neither sent nor saved: it stays with nobody. */
export function useSignOut(): { run: () => void; pending: boolean; confirmation: ReactNode } {
  const { id } = useUser();
  const [open, setOpen] = useState(false);
  // The dialog stays for as long as it takes to fade away.
  const [prompt, setPrompt] = useState<typeof UNSENT_DRAFTS>();
  const signOut = useApiMutation({
    mutationFn: signOutAndClearDrafts,
    successToast: { title: 'Logout realizado com sucesso!' },
    errorToast: {
      title: 'Erro ao fazer logout',
      fallback: 'Não foi possível encerrar a sessão. Tente novamente.',
    },
  });
  const run = () => {
    const loss = listDraftKeys(id).length > 0 ? UNSENT_DRAFTS : isPageUnsaved() ? UNSAVED_FORM : undefined;
    if (!loss) return signOut.mutate();
    setPrompt(loss);
    setOpen(true);
  };
  return {
    run,
    pending: signOut.isPending,
    confirmation: prompt && (
      <Suspense>
        <ConfirmDialog
          {...prompt}
          open={open}
          onOpenChange={setOpen}
          danger
          pending={signOut.isPending}
          onConfirm={() => signOut.mutate()}
        />
      </Suspense>
    ),
  };
}

/** Asks the page what the browser asks it before its tab is closed. */
function isPageUnsaved(): boolean {
  return !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
}
