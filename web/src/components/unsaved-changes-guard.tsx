// Confirmation before leaving a page with unsaved changes.
import { lazy, Suspense, useCallback, useState } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';

import { whenIdle } from '~/lib/when-idle';

const loadDialog = () => import('~/ui/confirm-dialog');

// Loaded ahead, because an upload would delay it.
whenIdle(() => void loadDialog().catch(() => {}));

const ConfirmDialog = lazy(async () => ({ default: (await loadDialog()).ConfirmDialog }));

/** The `state` of a navigation after saving. It skips the confirmation. */
export const SAVED = 'saved';

type UnsavedChangesGuardProps = {
  enabled: boolean;
  description: string;
  /** The question and its answers. Default: about changes that are not saved. */
  texts?: { title: string; stay: string; leave: string };
  /** Deletes the draft in which the page keeps the changes. Closing the tab then needs no confirmation. */
  onDiscardDraft?: (() => void) | undefined;
};

const UNSAVED = { title: 'Sair sem salvar?', stay: 'Continuar editando', leave: 'Sair sem salvar' };

/** While `enabled`, leaving the page by a link, the back button or closing the tab requires a confirmation. */
export function UnsavedChangesGuard({
  enabled,
  description,
  texts = UNSAVED,
  onDiscardDraft,
}: UnsavedChangesGuardProps) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const saved: unknown = nextLocation.state;
    return enabled && saved !== SAVED && currentLocation.pathname !== nextLocation.pathname;
  });
  const isLost = enabled && onDiscardDraft === undefined;
  useBeforeUnload(useCallback((event) => isLost && event.preventDefault(), [isLost]));
  const isBlocked = blocker.state === 'blocked';
  // The dialog stays mounted after its first opening, for its exit animation.
  const [wasBlocked, setWasBlocked] = useState(false);
  if (isBlocked && !wasBlocked) setWasBlocked(true);
  if (!wasBlocked) return null;
  return (
    <Suspense>
      <ConfirmDialog
        open={isBlocked}
        onOpenChange={(open) => !open && blocker.reset?.()}
        title={texts.title}
        description={description}
        cancel={texts.stay}
        confirm={texts.leave}
        danger
        onConfirm={() => {
          onDiscardDraft?.();
          blocker.proceed?.();
        }}
      />
    </Suspense>
  );
}
