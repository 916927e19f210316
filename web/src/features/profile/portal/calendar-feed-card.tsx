import { lazy, Suspense } from 'react';

import { viewing } from '~/lib/api/impersonation';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

// Loaded after the page, at whose foot it stands.
const OwnCalendar = lazy(async () => ({ default: (await import('./calendar-feed-settings')).OwnCalendar }));

export function ProfileCalendar() {
  return (
    <div id="calendario" className="scroll-mt-20">
      <Panel title="Assinatura do calendário">
        {viewing() ? (
          <p className="text-muted p-5">O link do calendário é secreto: só o próprio cliente o vê.</p>
        ) : (
          <Suspense fallback={<SkeletonList rows={1} className="p-5" rowClassName="h-24" />}>
            <OwnCalendar />
          </Suspense>
        )}
      </Panel>
    </div>
  );
}
