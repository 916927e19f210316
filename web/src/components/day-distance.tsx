// A date with the days until it, such as 'Vence em 25/11/2026 · em 3 dias'.
import type { ReactNode } from 'react';

import { relativeDay } from '~/lib/dates';
import { cn } from '~/ui/cn';

type DayDistanceProps = {
  /** The day whose distance follows; null for none. */
  day: string | null;
  className?: string;
  children: ReactNode;
};

/**
 * The distance goes to a line of its own if there is no room. The dot is then to the left of the box, which clips it, so
 * that no line begins with it.
 */
export function DayDistance({ day, className, children }: DayDistanceProps) {
  return (
    <span className={cn('inline-flex flex-wrap items-baseline gap-x-3 overflow-x-clip', className)}>
      <span>{children}</span>
      {day !== null && (
        <>
          {' '}
          <span className="text-muted-foreground -ml-3 text-sm font-normal whitespace-nowrap before:inline-block before:w-3 before:text-center before:content-['·']">
            {relativeDay(day)}
          </span>
        </>
      )}
    </span>
  );
}
