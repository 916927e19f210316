// Banner shown during impersonation.
import { Eye } from 'lucide-react';

import { setImpersonation, type Impersonation } from '~/lib/api/impersonation';
import { paths } from '~/paths';

/** Always visible while an administrator views the portal as a client. */
export function ImpersonationBanner({ client: { id, fullName, email } }: Impersonation) {
  return (
    <aside
      aria-label="Visualização como cliente"
      className="bg-sidebar text-sidebar-foreground sticky top-0 z-40 flex h-14 items-center gap-3 px-3 text-sm sm:px-5 print:hidden"
    >
      <Eye size={20} aria-hidden className="shrink-0 max-sm:hidden" />
      <p className="min-w-0 flex-1 leading-tight">
        <span className="line-clamp-2">
          Você está vendo o portal como <strong className="font-semibold">{fullName ?? email}</strong>.
          Somente leitura.
        </span>
      </p>
      <button
        type="button"
        onClick={() => setImpersonation(null, paths.adminClient(id))}
        className="touch-target hover:bg-sidebar-accent shrink-0 rounded px-3 font-medium underline"
      >
        Encerrar
      </button>
    </aside>
  );
}
