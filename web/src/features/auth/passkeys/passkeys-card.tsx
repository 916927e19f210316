// Passkeys of the signed-in user: list, registration, names and removal.
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';

import { FormDialog } from '~/components/form-dialog';
import { TextField } from '~/components/form-fields';
import { QueryContent } from '~/components/query-content';
import {
  addPasskey,
  type Passkey,
  passkeyKeys,
  passkeysQuery,
  removePasskey,
  renamePasskey,
} from '~/features/auth/api/passkeys';
import { useApiMutation } from '~/hooks/use-api-mutation';
import '~/lib/api/error-messages.passkeys';
import { useZodForm } from '~/hooks/use-zod-form';
import { formatDateTime } from '~/lib/dates';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { SkeletonList } from '~/ui/skeleton';

const MAX_NAME_LENGTH = 120;

export function PasskeysCard() {
  const passkeys = useQuery(passkeysQuery());
  const adding = useApiMutation({
    mutationFn: () => addPasskey(passkeys.data?.map(({ name }) => name) ?? []),
    invalidates: [passkeyKeys.all],
    successToast: { title: 'Chave de acesso adicionada.' },
    errorToast: {
      title: 'Erro ao adicionar chave de acesso',
      fallback: 'O dispositivo não criou a chave, ou a criação foi cancelada.',
    },
  });
  return (
    <Panel title="Chaves de acesso">
      <p className="text-muted-foreground p-5">
        Com uma chave de acesso você entra sem senha, com a digital, o rosto ou o PIN do seu dispositivo.
      </p>
      <QueryContent
        query={passkeys}
        loading={<SkeletonList rows={1} className="p-5" rowClassName="h-14" />}
        className="py-8"
      >
        {(data) =>
          data &&
          data.length > 0 && (
            <ul className="divide-border border-border divide-y border-t" aria-label="Chaves de acesso">
              {data.map((passkey) => (
                <PasskeyItem key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <div className="border-border border-t p-5">
        <Button
          variant="secondary"
          icon={<Plus size={18} aria-hidden />}
          pending={adding.isPending}
          onClick={() => adding.mutate()}
        >
          Adicionar chave de acesso
        </Button>
      </div>
    </Panel>
  );
}

function PasskeyItem({ passkey }: { passkey: Passkey }) {
  const [asking, setAsking] = useState<'name' | 'remove' | null>(null);
  const close = () => setAsking(null);
  const removal = useApiMutation({
    mutationFn: removePasskey,
    invalidates: [passkeyKeys.all],
    successToast: { title: 'Chave de acesso removida.' },
    errorToast: { title: 'Erro ao remover chave de acesso', fallback: 'O servidor recusou a mudança.' },
    onSettled: close,
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-5 py-3.5">
      <KeyRound size={20} aria-hidden className="text-muted-foreground shrink-0" />
      <div className="min-w-48 flex-1">
        <p className="font-medium break-words">{passkey.name}</p>
        <p className="text-muted-foreground text-sm tabular-nums">
          Adicionada em {formatDateTime(passkey.createdAt)}
        </p>
        {passkey.lastUsedAt && (
          <p className="text-muted-foreground text-sm tabular-nums">
            Último uso em {formatDateTime(passkey.lastUsedAt)}
          </p>
        )}
      </div>
      <span className="inline-flex max-sm:-ml-4 sm:-mr-4">
        <Button variant="quiet" aria-label={`Renomear ${passkey.name}`} onClick={() => setAsking('name')}>
          Renomear
        </Button>
        <Button
          variant="quiet-danger"
          aria-label={`Remover ${passkey.name}`}
          onClick={() => setAsking('remove')}
        >
          Remover
        </Button>
      </span>
      {asking === 'name' && <NameDialog passkey={passkey} onClose={close} />}
      <ConfirmDialog
        open={asking === 'remove'}
        onOpenChange={(wanted) => !wanted && close()}
        title="Remover a chave de acesso?"
        description={`“${passkey.name}” deixa de entrar na sua conta, e os dispositivos que entraram com ela são desconectados.`}
        confirm="Remover"
        danger
        pending={removal.isPending}
        onConfirm={() => removal.mutate(passkey)}
      />
    </li>
  );
}

const schema = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Informe um nome.'),
      z.maxLength(MAX_NAME_LENGTH, `Use no máximo ${MAX_NAME_LENGTH} caracteres.`),
    ),
});

function NameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const form = useZodForm(schema, { name: passkey.name });
  const renaming = useApiMutation({
    mutationFn: renamePasskey,
    invalidates: [passkeyKeys.all],
    successToast: { title: 'Nome alterado.' },
    errorToast: { title: 'Erro ao renomear chave de acesso', fallback: 'O servidor recusou a mudança.' },
    onSuccess: onClose,
  });
  return (
    <FormDialog
      open
      title="Renomear chave de acesso"
      dirty={form.formState.isDirty}
      pending={renaming.isPending}
      onSubmit={form.handleSubmit(({ name }) => renaming.mutate({ id: passkey.id, name }))}
      onClose={onClose}
    >
      <TextField {...form.bind('name')} label="Nome" required />
    </FormDialog>
  );
}
