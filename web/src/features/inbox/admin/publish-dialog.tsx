// The effects of a publication before it is scheduled: documents by client, and the time.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { documentKeys } from '~/features/documents/api/documents';
import { inboxFilesQuery, type InboxFile, inboxKeys, publishFiles } from '~/features/inbox/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

type PublishDialogProps = {
  open: boolean;
  /** The chosen files; null: all recognized ones. */
  files: readonly InboxFile[] | null;
  total: number;
  onClose: () => void;
  onPublished: () => void;
};

export function PublishDialog({ open, files, total, onClose, onPublished }: PublishDialogProps) {
  const [at, setAt] = useState('');
  const all = useInfiniteQuery({ ...inboxFilesQuery('recognized'), enabled: open });
  const listed = files ?? all.data?.pages.flat() ?? [];
  const count = files?.length ?? total;
  const clients = clientsOf(listed);
  const publish = useApiMutation({
    mutationFn: publishFiles,
    invalidates: [inboxKeys.all, documentKeys.all],
    successToast: (number) => ({
      title: pluralize(number, 'documento será publicado', 'documentos serão publicados'),
      description: 'Você pode desfazer enquanto o aviso estiver no alto da página.',
    }),
    errorToast: { title: 'Erro ao publicar' },
    onSuccessIfMounted: onPublished,
  });
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={`Publicar ${pluralize(count, 'documento', 'documentos')}`}
      description="Cada cliente vê só os seus documentos. Os avisos por e-mail saem depois da publicação, como nas configurações."
      className="sm:max-w-lg"
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            Cancelar
          </Button>
          <Button
            pending={publish.isPending}
            onClick={() =>
              open &&
              publish.mutate({
                ids: files?.map(({ id }) => id) ?? null,
                at: at === '' ? null : new Date(at).toISOString(),
              })
            }
          >
            {at === '' ? 'Publicar agora' : 'Agendar'}
          </Button>
        </>
      }
    >
      <h3 className="text-sm font-medium">Quem receberá</h3>
      <ul className="border-border divide-border mt-2 max-h-64 divide-y overflow-y-auto rounded border">
        {clients.map(({ id, name, email, documents }) => (
          <li key={id} className="flex justify-between gap-3 px-3 py-2">
            <span className="min-w-0">
              <span className="line-clamp-1">{name}</span>
              <span className="text-muted-foreground block truncate text-sm">{email}</span>
            </span>
            <span className="text-muted-foreground shrink-0 text-sm tabular-nums">
              {pluralize(documents, 'documento', 'documentos')}
            </span>
          </li>
        ))}
      </ul>
      {listed.length < count && (
        <p className="text-muted-foreground mt-2 text-sm">
          {`E mais ${pluralize(count - listed.length, 'documento', 'documentos')}.`}
        </p>
      )}
      <Field
        label="Data e hora (opcional)"
        hint="Sem data, a publicação acontece em um minuto, e até lá pode ser desfeita."
        className="mt-5"
      >
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            value={at}
            onChange={({ target }) => setAt(target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

/** The clients of the files, with the number of documents of each. */
function clientsOf(files: readonly InboxFile[]) {
  const clients = new Map<string, { id: string; name: string; email: string; documents: number }>();
  for (const { client } of files) {
    if (client === null) continue;
    const known = clients.get(client.id);
    if (known) known.documents += 1;
    else {
      const { id, fullName, email } = client;
      clients.set(id, { id, name: fullName ?? email, email, documents: 1 });
    }
  }
  return [...clients.values()].toSorted((one, next) => one.name.localeCompare(next.name, 'pt-BR'));
}
