import type { ReactNode } from 'react';

/** One line of a list of facts: its name, and what it is. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="tabular mt-0.5 font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}
