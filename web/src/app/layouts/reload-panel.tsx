import { type ReactNode, useEffect } from 'react';

import { pingServer } from '~/lib/api/server-status';
import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';

export const POLL_MS = 5_000;
export const RELOADED_STORAGE_KEY = 'portaria-reloaded';

type ReloadPanelProps = {
  title: string;
  reason: string;
  isStaleRelease?: boolean;
  /** True within a layout, which has a `main` of its own. */
  isInLayout?: boolean;
  /** Other ways on from here. */
  children?: ReactNode;
};

/** A failure, and the button that loads the page again. It does so by itself as soon as that may help. */
export function ReloadPanel({
  title,
  reason,
  isStaleRelease = false,
  isInLayout = false,
  children,
}: ReloadPanelProps) {
  useReloadWhenServerReturns(isStaleRelease);
  const Frame = isInLayout ? 'div' : 'main';
  return (
    <Frame
      className={cn(
        'flex flex-col items-center justify-center gap-2 px-6 text-center',
        isInLayout ? 'py-16' : 'min-h-dvh',
      )}
    >
      <h1 className="text-2xl">{title}</h1>
      <p className="text-muted-foreground max-w-md" role="alert">
        {reason}
      </p>
      <Button className="mt-4" onClick={() => location.reload()}>
        Tentar novamente
      </Button>
      {children}
    </Frame>
  );
}

/**
 * Loads the page again once a server that was out of reach is back, or has a newer release; a fault of the page's own is
 * left to its reader.
 */
function useReloadWhenServerReturns(isStaleRelease: boolean) {
  useEffect(() => {
    let wasGone = false;
    const look = async () => {
      const alive = await pingServer();
      if (alive && (wasGone || (isStaleRelease && shouldReloadOnce()))) location.reload();
      wasGone ||= !alive;
    };
    void look();
    const timer = setInterval(() => void look(), POLL_MS);
    return () => clearInterval(timer);
  }, [isStaleRelease]);
}

/** Each release leads to the next one once: a file that is missing there too would lead to it for ever. */
function shouldReloadOnce(): boolean {
  try {
    if (sessionStorage.getItem(RELOADED_STORAGE_KEY) === import.meta.url) return false;
    sessionStorage.setItem(RELOADED_STORAGE_KEY, import.meta.url);
    return true;
  } catch {
    // Where nothing is kept, no try could be told from the first.
    return false;
  }
}
