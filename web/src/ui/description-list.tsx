import type { ReactNode } from 'react';

/** Names and values, one below the other. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="flex flex-col gap-4 p-5">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="tabular mt-0.5 font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}
