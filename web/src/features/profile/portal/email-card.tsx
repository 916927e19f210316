// Profile card of the e-mail address.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';

import { EmailField } from '~/components/form-fields';
import { QueryContent } from '~/components/query-content';
import type { EmailLinkResult } from '~/features/auth/email-link-result';
import { changeEmail, type Profile, profileKeys, profileQuery } from '~/features/profile/api/profile';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { serverConfig } from '~/lib/api/server-config';
import { emailSchema } from '~/lib/validation';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { EmailText } from '~/ui/email-text';
import { SkeletonList } from '~/ui/skeleton';

export function EmailCard({ linkResult }: { linkResult: EmailLinkResult }) {
  const profile = useQuery(profileQuery());
  return (
    <Panel title="E-mail de acesso">
      <QueryContent
        query={profile}
        loading={<SkeletonList rows={1} className="p-5" rowClassName="h-26" />}
        className="py-8"
      >
        {(data) => <Email profile={data} linkResult={linkResult} />}
      </QueryContent>
    </Panel>
  );
}

function Email({ profile, linkResult }: { profile: Profile; linkResult: EmailLinkResult }) {
  const [changing, setChanging] = useState(false);
  return (
    <div className="flex flex-col items-start gap-4 p-5">
      {linkResult === 'first-address-confirmed' && profile.newEmail !== null && (
        <Alert variant="success">
          Um dos endereços está confirmado. Abra também o link enviado ao outro endereço.
        </Alert>
      )}
      {linkResult === 'expired' && (
        <Alert variant="danger">
          Este link expirou ou já foi usado.
          {profile.newEmail !== null && ' Peça outro, aqui abaixo.'}
        </Alert>
      )}
      <dl>
        <dt className="text-muted-foreground text-sm">E-mail atual</dt>
        <dd className="font-medium wrap-anywhere">
          <EmailText email={profile.email} />
        </dd>
      </dl>
      {profile.newEmail !== null && <Pending email={profile.email} newEmail={profile.newEmail} />}
      {changing ? (
        <EmailForm current={profile.email} onDone={() => setChanging(false)} />
      ) : (
        <Button variant="secondary" onClick={() => setChanging(true)}>
          Alterar e-mail
        </Button>
      )}
    </div>
  );
}

/** Notice about a pending e-mail change, with the required confirmations. */
function Pending({ email, newEmail }: { email: string; newEmail: string }) {
  const again = useApiMutation({
    mutationFn: changeEmail,
    successToast: { title: 'Links enviados', description: 'Confira as caixas de entrada e de spam.' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível enviar os links. Tente novamente.' },
  });
  return (
    <Alert variant="info" className="w-full">
      <p>
        Troca pendente para <strong className="wrap-anywhere">{newEmail}</strong>.{' '}
        {serverConfig().secure_email_change ? (
          <>
            Enviamos um link para <strong className="wrap-anywhere">{email}</strong> e outro para o novo
            endereço. A troca acontece quando os dois forem confirmados; até lá, você entra com o e-mail
            atual.
          </>
        ) : (
          'Enviamos um link para o novo endereço. A troca acontece quando ele for confirmado; até lá, você entra com o e-mail atual.'
        )}
      </p>
      <Button
        variant="quiet"
        className="-ml-4"
        pending={again.isPending}
        onClick={() => again.mutate(newEmail)}
      >
        Enviar de novo
      </Button>
    </Alert>
  );
}

function EmailForm({ current, onDone }: { current: string; onDone: () => void }) {
  const form = useZodForm(
    z.object({
      email: emailSchema().check(
        z.refine((email) => email.toLowerCase() !== current, 'Este já é o seu e-mail.'),
      ),
    }),
    { email: '' },
  );
  const change = useApiMutation({
    mutationFn: changeEmail,
    invalidates: [profileKeys.all],
    successToast: {
      title: 'Confirme a troca de e-mail',
      description: 'Abra os links que acabamos de enviar.',
    },
    errorToast: { title: 'Erro', fallback: 'Não foi possível pedir a troca de e-mail. Tente novamente.' },
    onSuccess: onDone,
  });
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit(({ email }) => change.mutate(email))}
      className="flex w-full flex-col gap-4"
    >
      <EmailField {...form.bind('email')} label="Novo e-mail" required autoComplete="email" />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" pending={change.isPending}>
          Enviar confirmação
        </Button>
        <Button variant="secondary" onClick={onDone}>
          Cancelar
        </Button>
      </div>
    </form>
  );
}
