// Logo of the product.
import { cn } from './cn';

/** An arched doorway with an inner door. */
export function Logo({ size = 28, className }: { size?: number; className?: string }) {
  return (
    <svg
      viewBox="0 0 32 32"
      width={size}
      height={size}
      aria-hidden
      className={cn('shrink-0 forced-colors:text-[CanvasText]', className)}
    >
      <path
        d="M7 27V14.5a9 9 0 0 1 18 0V27"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.25"
        strokeLinecap="round"
      />
      <path d="M12 27V15a4 4 0 0 1 8 0v12Z" fill="currentColor" />
      <path d="M4 27h24" fill="none" stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" />
    </svg>
  );
}
