import { useCallback } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';

import { ConfirmDialog } from '~/ui/confirm-dialog';

/** The state of a navigation that nobody needs to be asked about: what was on the page has been saved. */
export const SAVED = 'saved';

type UnsavedChangesGuardProps = { enabled: boolean; description: string };

/** Asks before a page is left with something unsaved: by a link, by the back button, by closing the tab. */
export function UnsavedChangesGuard({ enabled, description }: UnsavedChangesGuardProps) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const saved: unknown = nextLocation.state;
    return enabled && saved !== SAVED && currentLocation.pathname !== nextLocation.pathname;
  });
  useBeforeUnload(useCallback((event) => enabled && event.preventDefault(), [enabled]));
  return (
    <ConfirmDialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title="Sair sem salvar?"
      description={description}
      cancel="Continuar editando"
      confirm="Sair sem salvar"
      danger
      onConfirm={() => blocker.proceed?.()}
    />
  );
}
