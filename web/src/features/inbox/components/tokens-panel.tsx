// Card of the tokens with which scanners and programs add files to the inbox.
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { type SyntheticEvent, useState } from 'react';

import { QueryContent } from '~/components/query-content';
import {
  createInboxToken,
  type InboxToken,
  inboxTokenKeys,
  inboxTokensQuery,
  revokeInboxToken,
} from '~/features/inbox/tokens-api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { registerErrorMessages } from '~/lib/api/error-messages';
import { formatDateTime } from '~/lib/dates';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { SkeletonList } from '~/ui/skeleton';

import { NewTokenDialog } from './new-token-dialog';

registerErrorMessages({
  too_many_inbox_tokens: 'Há 50 chaves de envio. Revogue uma que não é mais usada e tente de novo.',
});

export function InboxTokensPanel() {
  const tokens = useQuery(inboxTokensQuery());
  return (
    <Panel title="Envio por scanner ou programa">
      <div className="flex flex-col gap-5 p-5">
        <p className="text-muted-foreground text-sm">
          Com uma chave de envio, um scanner ou um programa põe arquivos na caixa de entrada, e nada mais: a
          chave não lê, não altera e não publica. Crie uma para cada aparelho.
        </p>
        <QueryContent query={tokens} loading={<SkeletonList rows={1} rowClassName="h-14" />}>
          {(found) =>
            found.length > 0 && (
              <ul aria-label="Chaves de envio" className="divide-border -mx-5 divide-y">
                {found.map((token) => (
                  <TokenItem key={token.id} token={token} />
                ))}
              </ul>
            )
          }
        </QueryContent>
        <NewTokenForm />
      </div>
    </Panel>
  );
}

function NewTokenForm() {
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const [created, setCreated] = useState<string | null>(null);
  const create = useApiMutation({
    mutationFn: createInboxToken,
    invalidates: [inboxTokenKeys.all],
    errorToast: { title: 'Erro ao criar a chave', fallback: 'A chave não foi criada. Tente novamente.' },
    onSuccess: ({ token }) => {
      setName('');
      setCreated(token);
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const isEmpty = name.trim() === '';
    setError(isEmpty ? 'Dê um nome à chave, como o do aparelho.' : undefined);
    if (!isEmpty) create.mutate(name.trim());
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col items-start gap-3">
      <Field label="Nome da chave" hint="Por exemplo: Scanner da recepção" error={error} className="w-full">
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={80}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant="secondary"
        icon={<KeyRound size={20} aria-hidden />}
        pending={create.isPending}
      >
        Criar chave de envio
      </Button>
      {created !== null && <NewTokenDialog token={created} onClose={() => setCreated(null)} />}
    </form>
  );
}

function TokenItem({ token }: { token: InboxToken }) {
  const [asks, setAsks] = useState(false);
  const revoke = useApiMutation({
    mutationFn: revokeInboxToken,
    invalidates: [inboxTokenKeys.all],
    successToast: { title: 'Chave de envio revogada', description: token.name },
    errorToast: { title: 'Erro ao revogar a chave', fallback: 'A chave continua valendo. Tente novamente.' },
    onSuccess: () => setAsks(false),
  });
  const author = token.created_by === null ? '' : ` por ${token.created_by}`;
  return (
    <li className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-5 py-3.5">
      <div className="min-w-44 flex-1 wrap-anywhere">
        <p className="font-medium">{token.name}</p>
        <p className="text-muted-foreground text-sm tabular-nums">
          Criada em {formatDateTime(token.created_at)}
          {author}
        </p>
        <p className="text-muted-foreground text-sm tabular-nums">
          {token.last_used_at === null
            ? 'Ainda não enviou nada'
            : `Último arquivo em ${formatDateTime(token.last_used_at)}`}
        </p>
      </div>
      <Button
        variant="quiet-danger"
        aria-label={`Revogar a chave ${token.name}`}
        onClick={() => setAsks(true)}
      >
        Revogar
      </Button>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title="Revogar a chave de envio?"
        description={`“${token.name}” deixa de enviar arquivos na hora. O que já chegou continua na caixa de entrada.`}
        confirm="Revogar"
        danger
        pending={revoke.isPending}
        onConfirm={() => revoke.mutate(token.id)}
      />
    </li>
  );
}
