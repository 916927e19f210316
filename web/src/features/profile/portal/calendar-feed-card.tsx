// Profile card of the calendar feed.
import { lazy, Suspense } from 'react';

import { getImpersonation } from '~/lib/api/impersonation';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

// Loaded on demand, because the card is at the bottom of the page.
const CalendarFeedSettings = lazy(async () => ({
  default: (await import('./calendar-feed-settings')).CalendarFeedSettings,
}));

export function CalendarFeedCard() {
  return (
    <div id="calendario" className="scroll-mt-20">
      <Panel title="Assinatura do calendário">
        {getImpersonation() ? (
          <p className="text-muted-foreground p-5">
            O link do calendário é secreto: só o próprio cliente o vê.
          </p>
        ) : (
          <Suspense fallback={<SkeletonList rows={1} className="p-5" rowClassName="h-24" />}>
            <CalendarFeedSettings />
          </Suspense>
        )}
      </Panel>
    </div>
  );
}
