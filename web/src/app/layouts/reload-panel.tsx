// Full-page error with automatic reload.
import { type ReactNode, useEffect } from 'react';

import { pingServer } from '~/lib/api/server-status';
import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';

/** Interval between checks of the server, in milliseconds. */
export const POLL_MS = 5_000;
const RELOADED_STORAGE_KEY = 'portaria-reloaded';

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
 * Reloads the page when an unreachable server responds again, or once for a stale release. Other errors need a reload by
 * the user.
 */
function useReloadWhenServerReturns(isStaleRelease: boolean) {
  useEffect(() => {
    let wasDown = false;
    const poll = async () => {
      const isUp = await pingServer();
      if (isUp && (wasDown || (isStaleRelease && shouldReloadOnce()))) location.reload();
      wasDown ||= !isUp;
    };
    void poll();
    const timer = setInterval(() => void poll(), POLL_MS);
    return () => clearInterval(timer);
  }, [isStaleRelease]);
}

/**
 * Allows one reload per release. Without this limit, a chunk that is missing in the new release too would cause an
 * endless loop.
 */
function shouldReloadOnce(): boolean {
  try {
    if (sessionStorage.getItem(RELOADED_STORAGE_KEY) === import.meta.url) return false;
    sessionStorage.setItem(RELOADED_STORAGE_KEY, import.meta.url);
    return true;
  } catch {
    // Without storage the limit cannot be enforced.
    return false;
  }
}
