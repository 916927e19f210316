// Dialog that changes the e-mail address of a client.
import * as z from 'zod/mini';

import { FormDialog } from '~/components/form-dialog';
import { EmailField } from '~/components/form-fields';
import { changeClientEmail } from '~/features/clients/api/client-mutations';
import { clientKeys, type ClientRecord } from '~/features/clients/api/clients';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { clientEmailSchema } from './client-schema';

type ChangeEmailDialogProps = { client: ClientRecord; open: boolean; onClose: () => void };

/** Asks for the new address and states the consequences for the client. */
export function ChangeEmailDialog({ client, open, onClose }: ChangeEmailDialogProps) {
  const isOther = (email: string) => email.trim().toLowerCase() !== client.email;
  const schema = z.object({
    email: clientEmailSchema.check(z.refine(isOther, 'Este já é o e-mail do cliente.')),
  });
  const form = useZodForm(schema, { email: '' });
  const change = useApiMutation({
    mutationFn: changeClientEmail,
    invalidates: [clientKeys.all],
    successToast: (_, { email }) => ({
      title: 'E-mail alterado com sucesso!',
      description: `De agora em diante o cliente entra com ${email}.`,
    }),
    errorToast: { title: 'Erro ao alterar e-mail' },
    onSuccess: onClose,
  });
  const { isDirty } = form.formState;
  return (
    <FormDialog
      open={open}
      title="Alterar e-mail"
      dirty={isDirty}
      pending={change.isPending}
      onSubmit={() =>
        void form.handleSubmit(({ email }) =>
          change.mutate({ id: client.id, email: email.trim().toLowerCase() }),
        )()
      }
      onClose={onClose}
    >
      <p>
        O acesso passa a ser o novo e-mail, e os avisos que estão na fila vão para ele.{' '}
        {client.last_sign_in_at === null
          ? 'Quem lê o e-mail de hoje deixa de ter acesso, e não recebe nada sobre isto.'
          : 'O cliente sai do portal em todos os aparelhos, e os dois endereços são avisados.'}
      </p>
      <Field label="E-mail de hoje">
        {(control) => <Input {...control} type="email" value={client.email} disabled />}
      </Field>
      <EmailField {...form.bind('email')} label="Novo e-mail *" required autoComplete="off" maxLength={254} />
    </FormDialog>
  );
}
