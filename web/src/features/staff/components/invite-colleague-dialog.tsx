// Dialog that invites a colleague without an account.
import { useState } from 'react';
import * as z from 'zod/mini';

import { FormDialog } from '~/components/form-dialog';
import { EmailField, TextField } from '~/components/form-fields';
import { activityKeys } from '~/features/activity/api';
import { clientKeys } from '~/features/clients/api/clients';
import { inviteColleague, staffKeys, type StaffRights } from '~/features/staff/api';
import { DepartmentField } from '~/features/staff/components/department-field';
import { StaffRoleFields } from '~/features/staff/components/staff-role-fields';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { getErrorInfo } from '~/lib/api/errors';
import { emailSchema } from '~/lib/validation';

const EMPTY = { full_name: '', email: '' };
const EMPLOYEE: StaffRights = { role: 'employee', assignedClientsOnly: false, department: '' };

const schema = z.object({
  full_name: z.string().check(z.trim(), z.minLength(1, 'Nome completo é obrigatório.')),
  email: emailSchema(),
});

export function InviteColleagueDialog({ onClose }: { onClose: () => void }) {
  const form = useZodForm(schema, EMPTY);
  const [rights, setRights] = useState(EMPLOYEE);
  const invitation = useApiMutation({
    mutationFn: inviteColleague,
    invalidates: [staffKeys.all, clientKeys.all, activityKeys.all],
    successToast: (_, { email }) => ({
      title: 'Colega convidado',
      description: `O convite para ${email} está na fila de e-mails.`,
    }),
    errorToast: { title: 'Erro ao convidar', fallback: 'O servidor recusou o convite.' },
    onSuccessIfMounted: onClose,
    onError(error) {
      if (getErrorInfo(error).code !== 'email_exists') return;
      const message = 'Esta pessoa já tem uma conta: use “Adicionar Administrador”.';
      form.setError('email', { message }, { shouldFocus: true });
    },
  });
  return (
    <FormDialog
      open
      title="Convidar colega"
      dirty={form.formState.isDirty && !invitation.isPending}
      pending={invitation.isPending}
      submit="Enviar convite"
      onSubmit={() => void form.handleSubmit((values) => invitation.mutate({ ...values, ...rights }))()}
      onClose={onClose}
    >
      <p className="text-muted-foreground">
        A pessoa recebe um e-mail para escolher a senha, e entra no painel com este papel.
      </p>
      <TextField
        {...form.bind('full_name')}
        label="Nome Completo *"
        required
        autoComplete="off"
        maxLength={200}
      />
      <EmailField {...form.bind('email')} label="Email *" required autoComplete="off" maxLength={254} />
      <StaffRoleFields value={rights} onChange={setRights} disabled={invitation.isPending} />
      <DepartmentField
        value={rights.department}
        disabled={invitation.isPending}
        onChange={(department) => setRights({ ...rights, department })}
      />
    </FormDialog>
  );
}
