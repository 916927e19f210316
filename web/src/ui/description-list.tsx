// Description list.
import type { ReactNode } from 'react';

/** Terms with values, one below the other. */
export function DescriptionList({ children }: { children: ReactNode }) {
  return <dl className="flex flex-col gap-4 p-5">{children}</dl>;
}

export function DescriptionItem({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted-foreground text-sm">{term}</dt>
      <dd className="mt-0.5 font-medium wrap-anywhere tabular-nums">{children}</dd>
    </div>
  );
}
