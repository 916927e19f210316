// Profile card of the password.
import { useState } from 'react';
import * as z from 'zod/mini';

import { PasswordField, TextField } from '~/components/form-fields';
import { activeSessionKeys } from '~/features/profile/api/active-sessions';
import { changePassword, sendReauthenticationCode, profileKeys } from '~/features/profile/api/profile';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { getErrorInfo, isRefusedPassword } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { newPasswordSchema } from '~/lib/validation';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';

const FALLBACK = 'Falha ao atualizar senha.';
const EMPTY = { currentPassword: '', password: '', confirmPassword: '', code: '' };

function schemaFor(min: number, codeAsked: boolean) {
  return z.safeExtend(newPasswordSchema(min), {
    // The server decides whether the current password is required. A user with a mailed link may not know it.
    currentPassword: z.string(),
    code: z.string().check(
      z.trim(),
      z.refine((code) => !codeAsked || /^\d{6}$/.test(code), 'Digite os 6 números do código.'),
    ),
  });
}

export function PasswordCard() {
  const { password_min: min, require_current_password: asksCurrent } = serverConfig();
  const [codeAsked, setCodeAsked] = useState(false);
  const form = useZodForm(schemaFor(min, codeAsked), EMPTY);
  const sendCode = useApiMutation({
    mutationFn: sendReauthenticationCode,
    errorToast: { title: 'Erro', fallback: 'Não foi possível enviar o código. Tente novamente.' },
    onSuccess: () => setCodeAsked(true),
  });
  const change = useApiMutation({
    mutationFn: changePassword,
    invalidates: [activeSessionKeys.all, profileKeys.all],
    successToast: { title: 'Senha atualizada', description: 'Os outros dispositivos foram desconectados.' },
    onSuccess() {
      form.reset(EMPTY);
      setCodeAsked(false);
    },
    onError(error) {
      const field = isRefusedPassword(error)
        ? 'password'
        : isCurrentPasswordRefused(error)
          ? 'currentPassword'
          : null;
      if (field) form.setError(field, { message: toUserMessage(error, FALLBACK) }, { shouldFocus: true });
      // The session is old and the server requires reauthentication.
      if (getErrorInfo(error).code === 'reauthentication_needed') sendCode.mutate();
    },
  });
  // The other errors stand at their fields.
  const isFormError =
    change.error !== null &&
    getErrorInfo(change.error).code !== 'reauthentication_needed' &&
    !isRefusedPassword(change.error) &&
    !isCurrentPasswordRefused(change.error);
  return (
    <Panel title="Senha">
      <form
        noValidate
        onSubmit={form.handleSubmit((values) => change.mutate(values))}
        className="flex flex-col items-start gap-4 p-5"
      >
        <p className="text-muted-foreground text-sm">
          Ao trocar a senha, os outros dispositivos são desconectados e você recebe um aviso por e-mail.
        </p>
        {isFormError && (
          <Alert variant="danger" className="w-full">
            {toUserMessage(change.error, FALLBACK)}
          </Alert>
        )}
        {asksCurrent && (
          <PasswordField
            {...form.bind('currentPassword')}
            label="Senha atual"
            required
            autoComplete="current-password"
            className="w-full"
          />
        )}
        <PasswordField
          {...form.bind('password')}
          label="Nova senha"
          hint={`Mínimo de ${min} caracteres.`}
          required
          autoComplete="new-password"
          className="w-full"
        />
        <PasswordField
          {...form.bind('confirmPassword')}
          label="Confirmar nova senha"
          required
          autoComplete="new-password"
          className="w-full"
        />
        {codeAsked && (
          <>
            <Alert variant="info" className="w-full">
              Para confirmar que é você, enviamos um código de 6 números ao seu e-mail.
            </Alert>
            <TextField
              {...form.bind('code')}
              label="Código"
              required
              inputMode="numeric"
              autoComplete="one-time-code"
              className="w-full"
              controlClassName="tabular-nums"
            />
          </>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="secondary" pending={change.isPending || sendCode.isPending}>
            Alterar senha
          </Button>
          {codeAsked && (
            <Button variant="quiet" pending={sendCode.isPending} onClick={() => sendCode.mutate()}>
              Enviar outro código
            </Button>
          )}
        </div>
      </form>
    </Panel>
  );
}

function isCurrentPasswordRefused(error: unknown): boolean {
  const { code } = getErrorInfo(error);
  return code === 'current_password_required' || code === 'current_password_invalid';
}
