import { useState } from 'react';
import * as z from 'zod/mini';

import { openSessionKeys } from '~/features/profile/api/active-sessions';
import { changePassword, mailCode, profileKeys } from '~/features/profile/api/profile';
import { useAction } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { explain } from '~/lib/api/error-messages';
import { failureOf } from '~/lib/api/errors';
import { config } from '~/lib/api/server-config';
import { newPasswordSchema } from '~/lib/validation';
import { Notice } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { PasswordInput } from '~/ui/password-input';

const FALLBACK = 'Falha ao atualizar senha.';
const EMPTY = { currentPassword: '', password: '', confirmPassword: '', code: '' };

function schemaFor(min: number, codeAsked: boolean) {
  return z.safeExtend(newPasswordSchema(min), {
    // Whether it is needed is the server's to say: who came by a mailed link may have forgotten it.
    currentPassword: z.string(),
    code: z.string().check(
      z.trim(),
      z.refine((code) => !codeAsked || /^\d{6}$/.test(code), 'Digite os 6 números do código.'),
    ),
  });
}

export function ProfilePassword() {
  const { password_min: min, require_current_password: asksCurrent } = config();
  const [codeAsked, setCodeAsked] = useState(false);
  const form = useZodForm(schemaFor(min, codeAsked), EMPTY);
  const sendCode = useAction({
    run: mailCode,
    failure: { title: 'Erro', fallback: 'Não foi possível enviar o código. Tente novamente.' },
    onSuccess: () => setCodeAsked(true),
  });
  const change = useAction({
    run: changePassword,
    refreshes: [openSessionKeys.all, profileKeys.all],
    success: { title: 'Senha atualizada', description: 'Os outros dispositivos foram desconectados.' },
    onSuccess() {
      form.reset(EMPTY);
      setCodeAsked(false);
    },
    onFailure(error) {
      // The sign-in is old, and the setting wants to know that it is still the same person.
      if (failureOf(error).code === 'reauthentication_needed') sendCode.run();
    },
  });
  const { errors } = form.formState;
  const waitsForCode = failureOf(change.error).code === 'reauthentication_needed';
  return (
    <Panel title="Senha">
      <form
        noValidate
        onSubmit={form.handleSubmit((values) => change.run(values))}
        className="flex flex-col items-start gap-4 p-5"
      >
        <p className="text-muted text-sm">
          Ao trocar a senha, os outros dispositivos são desconectados e você recebe um aviso por e-mail.
        </p>
        {change.error && !waitsForCode && (
          <Notice tone="danger" className="w-full">
            {explain(change.error, FALLBACK, min)}
          </Notice>
        )}
        {asksCurrent && (
          <Field label="Senha atual" required error={errors.currentPassword?.message} className="w-full">
            {(control) => (
              <PasswordInput
                {...control}
                {...form.field('currentPassword')}
                autoComplete="current-password"
              />
            )}
          </Field>
        )}
        <Field
          label="Nova senha"
          required
          error={errors.password?.message}
          hint={`Mínimo de ${min} caracteres.`}
          className="w-full"
        >
          {(control) => (
            <PasswordInput {...control} {...form.field('password')} autoComplete="new-password" />
          )}
        </Field>
        <Field
          label="Confirmar nova senha"
          required
          error={errors.confirmPassword?.message}
          className="w-full"
        >
          {(control) => (
            <PasswordInput {...control} {...form.field('confirmPassword')} autoComplete="new-password" />
          )}
        </Field>
        {codeAsked && (
          <>
            <Notice tone="info" className="w-full">
              Para confirmar que é você, enviamos um código de 6 números ao seu e-mail.
            </Notice>
            <Field label="Código" required error={errors.code?.message} className="w-full">
              {(control) => (
                <Input
                  {...control}
                  {...form.field('code')}
                  inputMode="numeric"
                  autoComplete="one-time-code"
                  className="tabular"
                />
              )}
            </Field>
          </>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="secondary" pending={change.pending || sendCode.pending}>
            Alterar senha
          </Button>
          {codeAsked && (
            <Button variant="quiet" pending={sendCode.pending} onClick={() => sendCode.run()}>
              Enviar outro código
            </Button>
          )}
        </div>
      </form>
    </Panel>
  );
}
