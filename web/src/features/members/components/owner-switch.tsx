// Notice on the page of a record that belongs to another client of the person, with the way there.
import { useQuery } from '@tanstack/react-query';

import { findOwner, memberKeys, type RecordKind, switchClient } from '~/features/members/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

const RECORD_LABELS = { document: 'Este documento', ticket: 'Este ticket', request: 'Esta solicitação' };

export function OwnerSwitch({ kind, id, className }: { kind: RecordKind; id: string; className: string }) {
  const owner = useQuery({
    queryKey: [...memberKeys.all, 'owner', kind, id],
    queryFn: () => findOwner(kind, id),
  });
  const switching = useApiMutation({
    mutationFn: switchClient,
    errorToast: { title: 'Erro ao trocar de cliente' },
  });
  const client = owner.data;
  if (!client || client.is_active) return null;
  return (
    <div className={className}>
      <Alert variant="info">
        <p>
          {RECORD_LABELS[kind]} é de <strong className="font-medium wrap-anywhere">{client.name}</strong>.
        </p>
        <Button
          className="mt-3 max-w-full py-2 text-balance wrap-anywhere whitespace-normal!"
          pending={switching.isPending}
          onClick={() => switching.mutate({ id: client.id, to: location.pathname })}
        >
          Abrir como {client.name}
        </Button>
      </Alert>
    </div>
  );
}
