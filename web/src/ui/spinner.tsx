import { LoaderCircle } from 'lucide-react';

/** A small turning mark for use inside something that says what is under way. */
export function Spinner() {
  return <LoaderCircle size={18} aria-hidden className="animate-spin" />;
}

/** A spinner that stands alone and says so. */
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
