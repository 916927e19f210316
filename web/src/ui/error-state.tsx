// Error state.
import { RefreshCw, TriangleAlert } from 'lucide-react';

import { Button } from './button';
import { cn } from './cn';

type ErrorStateProps = { title?: string; hint?: string; onRetry: () => void; className?: string };

/** A placeholder for data that failed to load, with a retry button. */
export function ErrorState({
  title = 'Não foi possível carregar os dados do servidor.',
  hint = 'Verifique sua conexão e tente novamente.',
  onRetry,
  className,
}: ErrorStateProps) {
  return (
    <div role="alert" className={cn('flex flex-col items-center px-6 py-12 text-center', className)}>
      <TriangleAlert size={28} aria-hidden className="text-danger mb-3" />
      <p className="font-medium">{title}</p>
      <p className="text-muted-foreground mt-1 text-sm">{hint}</p>
      <Button
        variant="secondary"
        className="mt-5"
        icon={<RefreshCw size={18} aria-hidden />}
        onClick={onRetry}
      >
        Tentar novamente
      </Button>
    </div>
  );
}
