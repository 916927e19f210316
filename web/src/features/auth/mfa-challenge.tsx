import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';

import { showCode, showCodeOnPaper, turnBack } from '~/features/auth/api/mfa';
import { useAction } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { explain } from '~/lib/api/error-messages';
import { Notice } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { AuthLayout } from './auth-layout';

const FALLBACK = 'Não foi possível confirmar o código.';

const ways = {
  app: {
    description: 'Digite o código que o seu aplicativo autenticador mostra agora.',
    label: 'Código de 6 dígitos',
    other: 'Usar um código de recuperação',
    pattern: /^\d{6}$/,
    invalid: 'Informe os 6 dígitos do código.',
    run: showCode,
  },
  paper: {
    description:
      'Digite um dos códigos que você guardou ao ligar a verificação. Cada um serve uma única vez.',
    label: 'Código de recuperação',
    other: 'Usar o aplicativo autenticador',
    pattern: /^[a-z0-9]{16}$/i,
    invalid: 'Informe os 16 caracteres do código.',
    run: showCodeOnPaper,
  },
} as const;

type Way = keyof typeof ways;

/** After the password: a code of the app, or one from paper. Once it is accepted, the guard leads on from here. */
export function SecondStep() {
  const [way, setWay] = useState<Way>('app');
  const { description, other } = ways[way];
  const back = useAction({
    run: turnBack,
    failure: {
      title: 'Erro ao fazer logout',
      fallback: 'Não foi possível encerrar a sessão. Tente novamente.',
    },
  });
  return (
    <AuthLayout area="admin" title="Verificação em duas etapas" description={description}>
      <CodeForm key={way} way={way} />
      <div className="mt-4 flex flex-col gap-1">
        <Button variant="quiet" onClick={() => setWay(way === 'app' ? 'paper' : 'app')}>
          {other}
        </Button>
        <Button
          variant="quiet"
          icon={<ArrowLeft size={18} aria-hidden />}
          pending={back.pending}
          onClick={() => back.run()}
        >
          Voltar para o Login
        </Button>
      </div>
    </AuthLayout>
  );
}

function CodeForm({ way }: { way: Way }) {
  const { label, run } = ways[way];
  const form = useZodForm(schemas[way], { code: '' });
  const step = useAction({
    run,
    success: { title: 'Login bem-sucedido!' },
    failure: { title: 'Erro de Login', fallback: FALLBACK },
    onFailure: () => form.setFocus('code', { shouldSelect: true }),
  });
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit(({ code }) => step.run(code))}
      className="flex flex-col gap-5"
    >
      {step.error && <Notice tone="danger">{explain(step.error, FALLBACK)}</Notice>}
      <Field label={label} required error={form.formState.errors.code?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.field('code')}
            // Whoever comes here comes to type it.
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is the only thing on the page.
            autoFocus
            autoComplete={way === 'app' ? 'one-time-code' : 'off'}
            inputMode={way === 'app' ? 'numeric' : 'text'}
            autoCapitalize="none"
            spellCheck={false}
            className="tabular tracking-widest"
          />
        )}
      </Field>
      <Button type="submit" pending={step.pending} className="w-full">
        Confirmar
      </Button>
    </form>
  );
}

/** As it is read off a screen or paper: with spaces, with hyphens. */
const schemas = { app: schema('app'), paper: schema('paper') };

function schema(way: Way) {
  const { pattern, invalid } = ways[way];
  return z.object({
    code: z.string().check(
      z.overwrite((text) => text.replace(/[\s-]/g, '')),
      z.regex(pattern, invalid),
    ),
  });
}
