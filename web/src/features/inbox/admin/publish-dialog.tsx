// The effects of a publication before it is scheduled: documents by client, and the time.
import { useEffect, useEffectEvent, useRef, useState } from 'react';

import { documentKeys } from '~/features/documents/api/documents';
import { type InboxFile, inboxKeys, publishFiles } from '~/features/inbox/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { INCOMPLETE_INPUT, isIncomplete } from '~/lib/incomplete-input';
import { parseLocalTime } from '~/lib/local-time';
import { toast } from '~/lib/toast';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

import { Recipients } from './recipients';

type PublishDialogProps = {
  /** Files that leave the group leave the dialog too. */
  files: readonly InboxFile[];
  onClose: () => void;
  onPublished: () => void;
};

/** Maximum number of days until a publication. */
const MAX_DAYS = 60;

export function PublishDialog({ files, onClose, onPublished }: PublishDialogProps) {
  const [at, setAt] = useState('');
  const [fault, setFault] = useState<string>();
  const publish = useApiMutation({
    mutationFn: publishFiles,
    invalidates: [inboxKeys.all, documentKeys.all],
    successToast: (_, { ids }) => ({
      title: pluralize(ids.length, 'documento será publicado', 'documentos serão publicados'),
      description: 'Você pode desfazer enquanto o aviso estiver no alto da página.',
    }),
    errorToast: { title: 'Erro ao publicar' },
    onSuccessIfMounted: onPublished,
  });
  const isObsolete = files.length === 0 && !publish.isPending;
  const close = useEffectEvent(() => {
    toast({ title: 'Não há mais o que publicar', description: 'Estes arquivos já saíram deste grupo.' });
    onClose();
  });
  useEffect(() => {
    if (isObsolete) close();
  }, [isObsolete]);
  const field = useRef<HTMLInputElement>(null);
  const submit = () => {
    if (isIncomplete(field.current)) return setFault(INCOMPLETE_INPUT);
    const ids = files.map(({ id }) => id);
    if (at === '') return publish.mutate({ ids, at: null });
    const time = parseLocalTime(at);
    const wait = time ? time.getTime() - Date.now() : -1;
    if (!time || wait < 0 || wait > MAX_DAYS * 24 * 3_600_000) {
      return setFault(`Escolha uma data e hora dos próximos ${MAX_DAYS} dias.`);
    }
    publish.mutate({ ids, at: time.toISOString() });
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={`Publicar ${pluralize(files.length, 'documento', 'documentos')}`}
      description="Cada cliente vê só os seus documentos. Os avisos por e-mail saem depois da publicação, como nas configurações."
      className="sm:max-w-lg"
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            Cancelar
          </Button>
          <Button pending={publish.isPending} disabled={files.length === 0} onClick={submit}>
            {at === '' ? 'Publicar agora' : 'Agendar'}
          </Button>
        </>
      }
    >
      <Recipients files={files} />
      <Field
        label="Data e hora (opcional)"
        error={fault}
        hint="Sem data, a publicação acontece em um minuto, e até lá pode ser desfeita."
        className="mt-5"
      >
        {(control) => (
          <Input
            {...control}
            ref={field}
            type="datetime-local"
            value={at}
            onChange={({ target }) => {
              setAt(target.value);
              setFault(undefined);
            }}
          />
        )}
      </Field>
    </Dialog>
  );
}
