// Skeletons.
import { cn } from './cn';

/** A placeholder for content that is loading. Give it the size of the content to avoid layout shifts. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={cn('block animate-[pulse-soft_1.6s_ease-in-out_infinite] rounded bg-border', className)}
    />
  );
}

type SkeletonListProps = { rows?: number; className?: string; rowClassName?: string };

/** Placeholders for the rows of a list, announced once by screen readers. */
export function SkeletonList({ rows = 3, className, rowClassName = 'h-20' }: SkeletonListProps) {
  return (
    <div role="status" className={cn('flex flex-col gap-3', className)}>
      <span className="sr-only">Carregando…</span>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} className={rowClassName} />
      ))}
    </div>
  );
}
