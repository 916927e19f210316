// The primary action of a page on small screens.
import type { ReactNode } from 'react';

/** Its content stays in place on wide screens. On small ones it is a bar at the bottom, over the page. */
export function StickyAction({ children }: { children: ReactNode }) {
  return (
    <div
      data-slot="primary-action"
      className="max-sm:border-border max-sm:bg-card max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-20 max-sm:border-t max-sm:p-4 max-sm:pb-[max(1rem,env(safe-area-inset-bottom))] max-sm:*:w-full"
    >
      {children}
    </div>
  );
}
