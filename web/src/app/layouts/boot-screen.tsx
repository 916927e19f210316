import { useState, useEffect } from 'react';

import { PageSpinner } from '~/ui/spinner';

import { ReloadPanel } from './reload-panel';

export const BOOT_LIMIT_MS = 10_000;

/** The spinner while it is found out who is there; after ten seconds, a way to try again. */
export function BootScreen() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), BOOT_LIMIT_MS);
    return () => clearTimeout(timer);
  }, []);
  if (late) {
    return (
      <ReloadPanel
        title="O servidor está demorando a responder"
        reason="Verifique sua conexão com a internet. Se ela estiver funcionando, tente novamente em alguns instantes."
      />
    );
  }
  return (
    <main className="flex min-h-dvh items-center justify-center [font-family:system-ui]">
      <PageSpinner />
    </main>
  );
}
