// Banner for an unreachable server.
import { CloudOff } from 'lucide-react';
import { lazy, Suspense, useSyncExternalStore } from 'react';

import { serverStatus } from '~/lib/api/server-status';

// Loaded on demand, because the server is reachable most of the time. When it is not, and the browser does not keep the
// file, the banner is shown without the time.
const DataTime = lazy(async () => ({
  default: await import('~/features/offline/components/data-time').then(
    (module) => module.DataTime,
    () => () => null,
  ),
}));

const messages = {
  offline: 'Sem conexão com a internet. A página se atualiza sozinha quando ela voltar.',
  down: 'O servidor não está respondendo. Tentando novamente…',
};

/** A banner while the browser is offline or the server does not respond. */
export function ServerStatusBanner() {
  const state = useSyncExternalStore(serverStatus.subscribe, serverStatus.get);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-(--toast-bottom,1rem) z-50 flex justify-center sm:inset-x-auto sm:bottom-6 sm:left-6 print:hidden"
    >
      {state !== 'up' && (
        <p className="bg-foreground text-background shadow-popover flex items-center gap-3 rounded-xl px-4 py-3 text-sm font-medium">
          <CloudOff size={20} aria-hidden />
          <span>
            {messages[state]}
            <Suspense>
              <DataTime />
            </Suspense>
          </span>
        </p>
      )}
    </div>
  );
}
