// Confirmation before leaving a page with unsaved changes.
import { useCallback } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';

import { ConfirmDialog } from '~/ui/confirm-dialog';

/** The `state` of a navigation after saving. It skips the confirmation. */
export const SAVED = 'saved';

type UnsavedChangesGuardProps = {
  enabled: boolean;
  description: string;
  /** Deletes the draft in which the page keeps the changes. Closing the tab then needs no confirmation. */
  onDiscardDraft?: (() => void) | undefined;
};

/** While `enabled`, leaving the page by a link, the back button or closing the tab requires a confirmation. */
export function UnsavedChangesGuard({ enabled, description, onDiscardDraft }: UnsavedChangesGuardProps) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const saved: unknown = nextLocation.state;
    return enabled && saved !== SAVED && currentLocation.pathname !== nextLocation.pathname;
  });
  const isLost = enabled && onDiscardDraft === undefined;
  useBeforeUnload(useCallback((event) => isLost && event.preventDefault(), [isLost]));
  return (
    <ConfirmDialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title="Sair sem salvar?"
      description={description}
      cancel="Continuar editando"
      confirm="Sair sem salvar"
      danger
      onConfirm={() => {
        onDiscardDraft?.();
        blocker.proceed?.();
      }}
    />
  );
}
