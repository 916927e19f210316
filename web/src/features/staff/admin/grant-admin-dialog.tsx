// Dialog that grants the administrator role to an existing account.
import { useRef, useState } from 'react';

import { TextLink } from '~/components/text-link';
import { activityKeys } from '~/features/activity/api';
import { clientKeys } from '~/features/clients/api/clients';
import { ClientCombobox } from '~/features/clients/components/client-combobox';
import { grantAdmin, staffKeys } from '~/features/staff/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';

type GrantAdminDialogProps = { open: boolean; onClose: () => void };

export function GrantAdminDialog({ open, onClose }: GrantAdminDialogProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [account, setAccount] = useState('');
  const [error, setError] = useState<string>();
  const close = () => {
    setAccount('');
    setError(undefined);
    onClose();
  };
  const grant = useApiMutation({
    mutationFn: grantAdmin,
    invalidates: [staffKeys.all, clientKeys.all, activityKeys.all],
    successToast: { title: 'Papel de administrador concedido.' },
    errorToast: { title: 'Erro ao conceder papel', fallback: 'O servidor recusou a mudança.' },
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
          precisa de uma: <TextLink to={paths.adminClientNew()}>Novo Cliente</TextLink>.
        </>
      }
      footer={
        <>
          <Button variant="secondary" onClick={close}>
            Cancelar
          </Button>
          <Button
            pending={grant.isPending}
            onClick={() => {
              if (account !== '') return grant.mutate(account);
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
          <ClientCombobox
            {...control}
            ref={picker}
            onChange={(client) => {
              setAccount(client?.id ?? '');
              setError(undefined);
            }}
            disabled={grant.isPending}
          />
        )}
      </Field>
    </Dialog>
  );
}
