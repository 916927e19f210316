// The primary action of a page on phones.
import type { ReactNode } from 'react';

/**
 * Its content stays in place on wide and on low screens, such as a page at 400 % zoom. On phones it is a bar at the bottom,
 * over the page.
 */
export function StickyAction({ children }: { children: ReactNode }) {
  return (
    <div
      data-slot="primary-action"
      className="phone:border-border phone:bg-card phone:fixed phone:inset-x-0 phone:bottom-0 phone:z-20 phone:border-t phone:p-4 phone:pb-[max(1rem,env(safe-area-inset-bottom))] max-sm:*:w-full"
    >
      {children}
    </div>
  );
}
