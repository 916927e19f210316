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

import { Recipients } from './recipients';

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
      <Recipients files={listed} />
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
