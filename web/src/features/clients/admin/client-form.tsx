// Form that creates or edits a client.
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';

import { EditConflictDialog } from '~/components/edit-conflict-dialog';
import { FormActions } from '~/components/form-actions';
import { EmailField, PasswordField, TextField } from '~/components/form-fields';
import { SAVED, UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { clientKeys } from '~/features/clients/api/clients';
import { TaxIdOwner } from '~/features/clients/components/tax-id-owner';
import { MailDeliveryHint } from '~/features/email/components/mail-delivery-hint';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { type EditConflict, type EditedFields, useGuardedSave } from '~/hooks/use-guarded-save';
import { REQUIRED_FIELDS_TOAST, useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { isRefusedPassword } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Checkbox } from '~/ui/checkbox';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { clientSchema, type ClientValues } from './client-schema';

const FALLBACK = 'Tente novamente.';

const copy = {
  new: {
    passwordTitle: 'Definir Senha *',
    passwordHint: 'O cliente recebe um e-mail de boas-vindas, sem a senha: combine-a com ele por outro meio.',
    mustChangePassword: 'Exigir troca no primeiro acesso',
    submit: 'Criar Cliente',
    success: 'Cliente criado com sucesso!',
  },
  edit: {
    passwordTitle: 'Alterar Senha (Opcional)',
    passwordHint: 'Ao receber uma senha nova, o cliente sai do portal em todos os aparelhos.',
    mustChangePassword: 'Exigir troca no próximo acesso',
    submit: 'Salvar Alterações',
    success: 'Cliente atualizado com sucesso!',
  },
} as const;

const CLIENT_LABELS = { full_name: 'Nome Completo', tax_id: 'CPF ou CNPJ', phone: 'Telefone' };

type ClientFormProps<Version> = {
  mode: 'new' | 'edit';
  initial: ClientValues;
  /** The client as last read; null for a new one. */
  version: Version;
  /** Action beside the read-only e-mail address, which this form cannot change. */
  emailAction?: ReactNode;
  save: (
    values: ClientValues,
    seen: Version,
    edited: EditedFields<ClientValues>,
  ) => Promise<EditConflict<Version, ClientValues> | null>;
};

export function ClientForm<Version>({ mode, initial, version, emailAction, save }: ClientFormProps<Version>) {
  const navigate = useNavigate();
  const texts = copy[mode];
  const min = serverConfig().password_min;
  const form = useZodForm(clientSchema(mode, min), initial, {
    invalidToast: { ...REQUIRED_FIELDS_TOAST, description: 'Por favor, corrija os campos destacados.' },
  });
  const [invite, password, taxId] = form.watch(['invite', 'password', 'tax_id']);
  const guard = useGuardedSave({
    form,
    version,
    // An invitation discards a password typed earlier.
    save: (values, seen, edited) => save(values.invite ? { ...values, password: '' } : values, seen, edited),
  });
  const saving = useApiMutation({
    mutationFn: guard.save,
    invalidates: [clientKeys.all],
    successToast: (isSaved, values) =>
      isSaved
        ? {
            title: texts.success,
            ...(values.invite && { description: `O convite para ${values.email} está na fila de e-mails.` }),
          }
        : null,
    errorToast: { title: 'Erro ao salvar cliente', fallback: FALLBACK },
    onSuccessIfMounted(isSaved) {
      if (isSaved) void navigate(paths.adminClients(), { state: SAVED });
    },
    onError(error) {
      if (isRefusedPassword(error)) {
        form.setError('password', { message: toUserMessage(error, FALLBACK) }, { shouldFocus: true });
      }
    },
  });
  const { isDirty } = form.formState;
  const submit = form.handleSubmit((values) => saving.mutate(values));
  return (
    <Card className="max-w-3xl">
      <form noValidate onSubmit={submit}>
        <div className="flex flex-col gap-5 p-5 sm:p-6">
          <TextField
            {...form.bind('full_name')}
            label="Nome Completo *"
            required
            autoComplete="off"
            maxLength={200}
          />
          {mode === 'new' ? (
            <EmailField {...form.bind('email')} label="Email *" required autoComplete="off" maxLength={254} />
          ) : (
            <div className="flex flex-col gap-2">
              <Field label="Email" hint="O email é o acesso do cliente, e tem uma alteração só para ele.">
                {(control) => <Input {...control} type="email" value={initial.email} disabled />}
              </Field>
              {emailAction}
            </div>
          )}
          <TextField
            {...form.bind('tax_id')}
            label="CPF ou CNPJ (Opcional)"
            hint="Serve para avisar quando um documento de outro cliente é enviado por engano."
            autoComplete="off"
            spellCheck={false}
            maxLength={20}
          />
          <TaxIdOwner text={taxId} ownEmail={initial.email} />
          <TextField
            {...form.bind('phone')}
            type="tel"
            label="Telefone com WhatsApp (Opcional)"
            hint="Com DDD. Serve para lembrar o cliente de um documento que ele não abriu."
            autoComplete="off"
            maxLength={25}
          />
        </div>
        <fieldset className="border-border border-t p-5 sm:p-6">
          <legend className="contents">
            <span className="text-lg font-semibold tracking-tight">{texts.passwordTitle}</span>
          </legend>
          {!invite && <p className="text-muted-foreground mt-1 text-sm">{texts.passwordHint}</p>}
          {mode === 'new' && (
            <Checkbox
              {...form.registerField('invite')}
              label="Convidar por e-mail em vez de definir a senha"
              hint={
                <>
                  O cliente recebe um link e escolhe a própria senha. <MailDeliveryHint />
                </>
              }
            />
          )}
          {!invite && (
            <div className="mt-4 grid items-start gap-5 sm:grid-cols-2">
              <PasswordField
                {...form.bind('password')}
                label="Senha"
                hint={`Mínimo de ${min} caracteres.`}
                required={mode === 'new'}
                autoComplete="new-password"
              />
              <PasswordField
                {...form.bind('confirmPassword')}
                label="Confirmar Senha"
                required={mode === 'new'}
                autoComplete="new-password"
              />
            </div>
          )}
          {!invite && (mode === 'new' || password !== '') && (
            <Checkbox
              {...form.registerField('mustChangePassword')}
              label={texts.mustChangePassword}
              hint="O cliente entra com esta senha e só continua depois de escolher outra."
            />
          )}
        </fieldset>
        <FormActions
          cancelTo={paths.adminClients()}
          {...(saving.isPending && {
            cancel: (
              <Button variant="secondary" disabled>
                Cancelar
              </Button>
            ),
          })}
          submit={texts.submit}
          pending={saving.isPending}
        />
      </form>
      <EditConflictDialog
        conflict={guard.conflict}
        labels={CLIENT_LABELS}
        pending={saving.isPending}
        onDiscard={guard.discard}
        onOverwrite={() => void submit()}
      />
      <UnsavedChangesGuard
        enabled={isDirty}
        description="O que foi preenchido nesta página ainda não foi salvo."
      />
    </Card>
  );
}
