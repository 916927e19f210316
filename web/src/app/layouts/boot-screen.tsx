// Screen shown while the session is loaded.
import { useState, useEffect } from 'react';

import { PageSpinner } from '~/ui/spinner';

import { ReloadPanel } from './reload-panel';

/** Time until the boot screen offers a reload, in milliseconds. */
const BOOT_LIMIT_MS = 10_000;

/** A spinner, replaced by an error with a reload button after `BOOT_LIMIT_MS`. */
export function BootScreen() {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), BOOT_LIMIT_MS);
    return () => clearTimeout(timer);
  }, []);
  if (isLate) {
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
