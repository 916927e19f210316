import { useEffect } from 'react';

import { isAlive } from '~/lib/api/server-status';
import { Button } from '~/ui/button';

export const LOOK_AGAIN_MS = 5_000;
export const RELOADED_KEY = 'portaria-reloaded';

type RetryPanelProps = { title: string; reason: string; isOld?: boolean };

export function RetryPanel({ title, reason, isOld = false }: RetryPanelProps) {
  useReturn(isOld);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-2 px-6 text-center">
      <h1 className="text-2xl">{title}</h1>
      <p className="text-muted max-w-md" role="alert">
        {reason}
      </p>
      <Button className="mt-4" onClick={() => location.reload()}>
        Tentar novamente
      </Button>
    </main>
  );
}

/**
 * Loads the page again once a server that was out of reach is back, or has a newer release; a fault of the page's own is
 * left to its reader.
 */
function useReturn(isOld: boolean) {
  useEffect(() => {
    let wasGone = false;
    const look = async () => {
      const alive = await isAlive();
      if (alive && (wasGone || (isOld && isFirstTry()))) location.reload();
      wasGone ||= !alive;
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isOld]);
}

/** Each release leads to the next one once: a file that is missing there too would lead to it for ever. */
function isFirstTry(): boolean {
  try {
    if (sessionStorage.getItem(RELOADED_KEY) === import.meta.url) return false;
    sessionStorage.setItem(RELOADED_KEY, import.meta.url);
    return true;
  } catch {
    // Where nothing is kept, no try could be told from the first.
    return false;
  }
}
