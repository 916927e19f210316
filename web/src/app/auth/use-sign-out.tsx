// Sign-out with a confirmation for unsent drafts and unsaved changes.
import { lazy, type ReactNode, Suspense, useState } from 'react';

import { useUser } from '~/features/auth/session';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { listDraftKeys } from '~/lib/drafts/draft-keys';

import { isPageUnsaved, signOutAndClearDrafts } from './auth-middleware';

// Loaded on demand, because most sign-outs need no confirmation.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

const UNSENT_DRAFTS = {
  title: 'Sair sem enviar?',
  description:
    'Há textos que você escreveu e ainda não enviou ou salvou. Ao sair, eles são apagados deste navegador.',
  confirm: 'Apagar e sair',
};
const UNSAVED_FORM = {
  title: 'Sair sem salvar?',
  description: 'O que foi preenchido nesta página ainda não foi salvo.',
  confirm: 'Sair sem salvar',
};

/** `run` signs out, after a confirmation if drafts or unsaved changes would be lost. Render `confirmation`. */
export function useSignOut(): { run: () => void; pending: boolean; confirmation: ReactNode } {
  const { id } = useUser();
  const [open, setOpen] = useState(false);
  // The text remains after closing, for the exit animation of the dialog.
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
    const warning = listDraftKeys(id).length > 0 ? UNSENT_DRAFTS : isPageUnsaved() ? UNSAVED_FORM : undefined;
    if (!warning) return signOut.mutate();
    setPrompt(warning);
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
