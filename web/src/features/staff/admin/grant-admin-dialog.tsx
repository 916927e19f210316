import { useRef, useState } from 'react';
import { Link } from 'react-router';

import { activityKeys } from '~/features/activity/api';
import { clientKeys } from '~/features/clients/api/clients';
import { ClientPicker } from '~/features/clients/components/client-combobox';
import { grantRole, staffKeys } from '~/features/staff/api';
import { useAction } from '~/hooks/use-api-mutation';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';

type GrantRoleDialogProps = { open: boolean; onClose: () => void };

/** Makes an administrator of somebody who has an account already. */
export function GrantRoleDialog({ open, onClose }: GrantRoleDialogProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [account, setAccount] = useState('');
  const [error, setError] = useState<string>();
  const close = () => {
    setAccount('');
    setError(undefined);
    onClose();
  };
  const grant = useAction({
    run: grantRole,
    refreshes: [staffKeys.all, clientKeys.all, activityKeys.all],
    success: { title: 'Papel de administrador concedido.' },
    failure: { title: 'Erro ao conceder papel', fallback: 'O servidor recusou a mudança.' },
    onSuccess: close,
  });
  return (
    <Dialog
      open={open}
      onOpenChange={(wanted) => !wanted && close()}
      title="Adicionar administrador"
      description={
        <>
          A conta passa a ver e mudar tudo no painel, e sai da lista de clientes. Quem ainda não tem conta
          precisa de uma:{' '}
          <Link to={paths.adminClientNew()} className="text-primary hover:underline">
            Novo Cliente
          </Link>
          .
        </>
      }
      footer={
        <>
          <Button variant="secondary" onClick={close}>
            Cancelar
          </Button>
          <Button
            pending={grant.pending}
            onClick={() => {
              if (account !== '') return grant.run(account);
              setError('Escolha uma conta.');
              return picker.current?.focus();
            }}
          >
            Tornar administrador
          </Button>
        </>
      }
    >
      <Field label="Conta" required error={error}>
        {(control) => (
          <ClientPicker
            {...control}
            ref={picker}
            onChange={(client) => {
              setAccount(client?.id ?? '');
              setError(undefined);
            }}
            disabled={grant.pending}
          />
        )}
      </Field>
    </Dialog>
  );
}
