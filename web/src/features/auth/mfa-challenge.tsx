// MFA challenge after the password.
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, KeyRound } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';

import { TextField } from '~/components/form-fields';
import {
  cancelSignIn,
  factorTypesQuery,
  verifyRecoveryCode,
  verifySecurityKey,
  verifyTotp,
} from '~/features/auth/api/mfa';
import { useApiMutation } from '~/hooks/use-api-mutation';
import '~/lib/api/error-messages.mfa';
import '~/lib/api/error-messages.passkeys';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { AuthLayout } from './auth-layout';
import { LazyPasskeySignIn } from './passkeys/lazy-passkey-sign-in';

const FALLBACK = 'Não foi possível confirmar o código.';

const methods = {
  app: {
    description: 'Digite o código que o seu aplicativo autenticador mostra agora.',
    label: 'Código de 6 dígitos',
    other: 'Usar um código de recuperação',
    pattern: /^\d{6}$/,
    invalid: 'Informe os 6 dígitos do código.',
    run: verifyTotp,
  },
  'recovery-code': {
    description:
      'Digite um dos códigos que você guardou ao ligar a verificação. Cada um serve uma única vez.',
    label: 'Código de recuperação',
    other: 'Usar o aplicativo autenticador',
    pattern: /^[a-z0-9]{16}$/i,
    invalid: 'Informe os 16 caracteres do código.',
    run: verifyRecoveryCode,
  },
} as const;

const KEY_DESCRIPTION = 'Confirme que é você com a sua chave de segurança.';
const KEY_FALLBACK = 'A chave de segurança não foi usada. Tente de novo.';

type Method = keyof typeof methods;

export type MfaChallengeProps = { area: 'client' | 'admin' };

/** Asks for a TOTP code, a recovery code or a security key. The route guard redirects after the verification. */
export function MfaChallenge({ area }: MfaChallengeProps) {
  const [method, setMethod] = useState<Method>('app');
  const { data: types } = useQuery(factorTypesQuery());
  const hasOnlyKey = types?.hasSecurityKey === true && !types.hasApp;
  const asksCode = method === 'recovery-code' || !hasOnlyKey;
  const key = useApiMutation({
    mutationFn: () => verifySecurityKey(),
    successToast: { title: 'Login bem-sucedido!' },
    errorToast: { title: 'Erro de Login', fallback: KEY_FALLBACK },
  });
  const back = useApiMutation({
    mutationFn: cancelSignIn,
    errorToast: {
      title: 'Erro ao fazer logout',
      fallback: 'Não foi possível encerrar a sessão. Tente novamente.',
    },
  });
  return (
    <AuthLayout
      area={area}
      title="Verificação em duas etapas"
      description={asksCode ? methods[method].description : KEY_DESCRIPTION}
    >
      {asksCode && <CodeForm key={method} method={method} />}
      <div className="mt-4 flex flex-col gap-1">
        {types?.hasSecurityKey && (
          <Button
            variant={asksCode ? 'secondary' : 'primary'}
            icon={<KeyRound size={18} aria-hidden />}
            pending={key.isPending}
            onClick={() => key.mutate()}
          >
            Usar chave de segurança
          </Button>
        )}
        {(method === 'app' || !hasOnlyKey) && (
          <Button variant="quiet" onClick={() => setMethod(method === 'app' ? 'recovery-code' : 'app')}>
            {methods[method].other}
          </Button>
        )}
        <LazyPasskeySignIn />
        <Button
          variant="quiet"
          icon={<ArrowLeft size={18} aria-hidden />}
          pending={back.isPending}
          onClick={() => back.mutate()}
        >
          Voltar para o Login
        </Button>
      </div>
      <p className="text-muted-foreground mt-4 text-center text-sm">
        {area === 'admin'
          ? 'Perdeu o celular e os códigos? Peça a outro administrador que redefina a sua verificação.'
          : 'Perdeu o celular e os códigos? Fale com o escritório.'}
      </p>
    </AuthLayout>
  );
}

function CodeForm({ method }: { method: Method }) {
  const { label, run } = methods[method];
  const form = useZodForm(schemas[method], { code: '' });
  const step = useApiMutation({
    mutationFn: run,
    successToast: { title: 'Login bem-sucedido!' },
    errorToast: { title: 'Erro de Login', fallback: FALLBACK },
    onError: () => form.setFocus('code', { shouldSelect: true }),
  });
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit(({ code }) => step.mutate(code))}
      className="flex flex-col gap-5"
    >
      {step.error && <Alert variant="danger">{toUserMessage(step.error, FALLBACK)}</Alert>}
      <TextField
        {...form.bind('code')}
        label={label}
        required
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is the only thing on the page.
        autoFocus
        autoComplete={method === 'app' ? 'one-time-code' : 'off'}
        inputMode={method === 'app' ? 'numeric' : 'text'}
        autoCapitalize="none"
        spellCheck={false}
        controlClassName="tracking-widest tabular-nums"
      />
      <Button type="submit" pending={step.isPending} className="w-full">
        Confirmar
      </Button>
    </form>
  );
}

/** Validation of the codes. Spaces and hyphens are removed. */
const schemas = { app: schema('app'), 'recovery-code': schema('recovery-code') };

function schema(method: Method) {
  const { pattern, invalid } = methods[method];
  return z.object({
    code: z.string().check(
      z.overwrite((text) => text.replace(/[\s-]/g, '')),
      z.regex(pattern, invalid),
    ),
  });
}
