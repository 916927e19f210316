// Button for an action of the server.
import type { ComponentProps } from 'react';

import { useIsConnected } from '~/hooks/use-is-connected';
import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';

type OnlineButtonProps = Omit<ComponentProps<typeof Button>, 'disabled' | 'className'> & {
  className?: string;
};

/** A button that is disabled without a connection, and says so. */
export function OnlineButton({ className, ...button }: OnlineButtonProps) {
  const isConnected = useIsConnected();
  return (
    <span className={cn('inline-flex flex-col gap-1', className)}>
      <Button {...button} disabled={!isConnected} />
      {!isConnected && (
        <span className="text-caption text-muted-foreground text-center">Precisa de conexão</span>
      )}
    </span>
  );
}
