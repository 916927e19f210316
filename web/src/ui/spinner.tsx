// Spinners.
import { LoaderCircle } from 'lucide-react';

/** A small spinner for use beside a text that names the action. */
export function Spinner() {
  return <LoaderCircle size={18} aria-hidden className="animate-spin" />;
}

/** A standalone spinner with a label. */
export function PageSpinner({ label = 'Carregando…' }: { label?: string }) {
  return (
    <div
      role="status"
      className="text-muted-foreground flex min-h-60 flex-col items-center justify-center gap-3 text-sm"
    >
      <LoaderCircle size={28} aria-hidden className="text-primary animate-spin" />
      {label}
    </div>
  );
}
