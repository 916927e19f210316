// Dialog that invites a person to act for a client.
import * as z from 'zod/mini';

import { FormDialog } from '~/components/form-dialog';
import { EmailField, TextField } from '~/components/form-fields';
import { SelectField } from '~/components/more-form-fields';
import { inviteMember, memberKeys } from '~/features/members/api';
import type { MemberRole } from '~/features/members/client-choice';
import { roleHints, roleLabels } from '~/features/members/role-labels';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { getErrorInfo } from '~/lib/api/errors';
import { newEmailSchema } from '~/lib/validation';

import { FolderLimitFields, NO_FOLDER } from './folder-limit-fields';

type Values = { name: string; email: string; role: MemberRole; folders: string[] | null };

const EMPTY: Values = { name: '', email: '', role: 'member', folders: null };

const ROLES = [
  { value: 'member', label: roleLabels.member },
  { value: 'owner', label: roleLabels.owner },
];

const schema = z
  .object({
    name: z.string().check(z.trim(), z.minLength(1, 'Nome completo é obrigatório.')),
    email: newEmailSchema(),
    role: z.enum(['owner', 'member']),
    folders: z.nullable(z.array(z.string())),
  })
  .check(
    // The folders that were chosen before the role of an owner are out of sight, and do not count.
    z.refine(({ role, folders }) => role === 'owner' || folders?.length !== 0, {
      path: ['folders'],
      error: NO_FOLDER,
    }),
  );

const emailErrors: Record<string, string> = {
  member_exists: 'Esta pessoa já acompanha este cliente.',
  member_not_possible: 'Este endereço é da equipe do escritório.',
};

type InviteMemberDialogProps = {
  /** The client, for staff; a client invites to the client for whom the session acts. */
  clientId: string | undefined;
  onClose: () => void;
};

export function InviteMemberDialog({ clientId, onClose }: InviteMemberDialogProps) {
  const form = useZodForm(schema, EMPTY);
  const invitation = useApiMutation({
    mutationFn: inviteMember,
    invalidates: [memberKeys.all],
    successToast: (_, { email }) => ({
      title: 'Pessoa convidada',
      description: `O convite para ${email} está na fila de e-mails.`,
    }),
    errorToast: { title: 'Erro ao convidar', fallback: 'O servidor recusou o convite.' },
    onSuccessIfMounted: onClose,
    onError(error) {
      const message = emailErrors[getErrorInfo(error).code ?? ''];
      if (message) form.setError('email', { message }, { shouldFocus: true });
    },
  });
  const role = form.watch('role');
  return (
    <FormDialog
      open
      title="Convidar pessoa"
      dirty={form.formState.isDirty && !invitation.isPending}
      pending={invitation.isPending}
      submit="Enviar convite"
      onSubmit={() =>
        void form.handleSubmit((values) =>
          invitation.mutate({
            ...values,
            // An owner sees all folders.
            folders: values.role === 'owner' ? null : values.folders,
            ...(clientId !== undefined && { client_id: clientId }),
          }),
        )()
      }
      onClose={onClose}
    >
      <p className="text-muted-foreground">
        A pessoa recebe um e-mail para entrar com a própria senha e passa a ver os documentos, os tickets e as
        solicitações deste cliente.
      </p>
      <TextField {...form.bind('name')} label="Nome Completo *" required autoComplete="off" maxLength={200} />
      <EmailField {...form.bind('email')} label="Email *" required autoComplete="off" maxLength={254} />
      <SelectField {...form.bind('role')} label="Papel" hint={roleHints[role]} options={ROLES} />
      {role === 'member' && (
        <FolderLimitFields
          value={form.watch('folders')}
          error={form.errorOf('folders')}
          onChange={(folders) => {
            form.setValue('folders', folders, { shouldDirty: true });
            form.clearErrors('folders');
          }}
        />
      )}
    </FormDialog>
  );
}
