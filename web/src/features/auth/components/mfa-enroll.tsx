// Enrollment of an authenticator app (TOTP).
import type { QueryKey } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import * as z from 'zod/mini';

import { TextField } from '~/components/form-fields';
import { enrollTotp, type Enrolment, confirmTotp, mfaKeys } from '~/features/auth/api/mfa';
import { useUser } from '~/features/auth/session';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useCopyToClipboard } from '~/hooks/use-copy-to-clipboard';
import { useZodForm } from '~/hooks/use-zod-form';
import { toUserMessage } from '~/lib/api/error-messages';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

const FALLBACK = 'Não foi possível confirmar o código.';

type Props = {
  /** Queries of the area that depend on MFA. */
  affectedKeys: readonly QueryKey[];
  onCodes: (codes: string[] | null) => void;
};

/** Explains MFA, then shows the secret for the app, then asks for the first code. */
export function MfaEnroll(props: Props) {
  const { isAdmin } = useUser();
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const begin = useApiMutation({
    mutationFn: enrollTotp,
    errorToast: { title: 'Erro ao ligar verificação', fallback: 'O servidor não criou a chave.' },
    onSuccess: setEnrolment,
  });
  if (enrolment) return <Enrolling enrolment={enrolment} {...props} />;
  return (
    <div className="flex flex-col items-start gap-4 p-5">
      <p className="max-w-prose">
        Além da senha, o {isAdmin ? 'painel' : 'portal'} passa a pedir um código que muda a cada 30 segundos
        em um aplicativo do seu celular, como Google Authenticator, Microsoft Authenticator ou 1Password. Quem
        descobrir a sua senha não entra sem ele.
      </p>
      <Button
        icon={<ShieldCheck size={20} aria-hidden />}
        pending={begin.isPending}
        onClick={() => begin.mutate()}
      >
        Ligar verificação em duas etapas
      </Button>
    </div>
  );
}

const schema = z.object({
  code: z.string().check(
    z.overwrite((text) => text.replace(/\s/g, '')),
    z.regex(/^\d{6}$/, 'Informe os 6 dígitos do código.'),
  ),
});

function Enrolling({ enrolment, affectedKeys, onCodes }: Props & { enrolment: Enrolment }) {
  const { factorId, qrCode, secret } = enrolment;
  const form = useZodForm(schema, { code: '' });
  const copy = useCopyToClipboard('Chave copiada');
  const finish = useApiMutation({
    mutationFn: confirmTotp,
    invalidates: [mfaKeys.all, ...affectedKeys],
    successToast: { title: 'Verificação em duas etapas ligada.' },
    onSuccess: onCodes,
    onError: () => form.setFocus('code', { shouldSelect: true }),
  });
  return (
    <ol className="flex flex-col gap-6 p-5">
      <Step number={1} title="Abra o aplicativo autenticador e leia este código QR">
        {/* Scanners need dark modules on a light background, in both themes. */}
        <img
          src={qrCode}
          alt="Código QR com a chave da verificação em duas etapas"
          width={208}
          height={208}
          className="border-border rounded border bg-white p-1"
        />
        <p className="text-muted-foreground mt-3 text-sm">
          Se não puder ler o código, digite esta chave no aplicativo:
        </p>
        <div className="mt-1 flex flex-wrap items-center gap-x-3">
          <code aria-label="Chave" className="bg-muted text-body rounded px-2 py-1 wrap-anywhere">
            {groupByFour(secret)}
          </code>
          <Button variant="quiet" className="max-sm:-ml-4" onClick={() => copy.mutate(secret)}>
            Copiar chave
          </Button>
        </div>
      </Step>
      <Step number={2} title="Digite o código que o aplicativo mostra">
        <form
          noValidate
          onSubmit={form.handleSubmit(({ code }) => finish.mutate({ factorId, code }))}
          className="flex max-w-sm flex-col gap-4"
        >
          {finish.error && <Alert variant="danger">{toUserMessage(finish.error, FALLBACK)}</Alert>}
          <TextField
            {...form.bind('code')}
            label="Código de 6 dígitos"
            required
            autoComplete="one-time-code"
            inputMode="numeric"
            controlClassName="tracking-widest tabular-nums"
          />
          <Button type="submit" pending={finish.isPending}>
            Confirmar e ligar
          </Button>
        </form>
      </Step>
    </ol>
  );
}

type StepProps = { number: number; title: string; children: ReactNode };

function Step({ number, title, children }: StepProps) {
  return (
    <li className="flex gap-4">
      <span
        aria-hidden
        className="bg-primary-subtle text-primary flex size-7 shrink-0 items-center justify-center rounded-full text-sm font-semibold"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="mb-3 font-medium">{title}</h3>
        {children}
      </div>
    </li>
  );
}

/** Inserts a space after every four characters. */
function groupByFour(text: string): string {
  return text.replace(/(.{4})(?=.)/g, '$1 ');
}
