// Acceptance of the selected answers: folder, progress, and the answers that were not accepted.
import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useEffect, useState } from 'react';

import type { Selection } from '~/components/list-table/bulk-bar';
import { documentKeys } from '~/features/documents/api/documents';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { type Acceptance, acceptItems } from '~/features/requests/api/accept-items';
import { requestKeys } from '~/features/requests/api/requests';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatInteger, pluralize } from '~/lib/format';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { ProgressBar } from '~/ui/progress-bar';
import { Select } from '~/ui/select';

export function AcceptAction({ ids, clear, hold }: Selection) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon={<Check size={20} aria-hidden />} onClick={() => setIsOpen(true)}>
        Aceitar {formatInteger(ids.length)}
      </Button>
      {isOpen && <AcceptDialog ids={ids} onClose={() => setIsOpen(false)} onDone={clear} onHold={hold} />}
    </>
  );
}

type AcceptDialogProps = {
  ids: readonly string[];
  onClose: () => void;
  onDone: () => void;
  onHold: Selection['hold'];
};

function AcceptDialog({ ids, onClose, onDone, onHold }: AcceptDialogProps) {
  const { data: folders = [] } = useQuery(allFoldersQuery());
  const [folder, setFolder] = useState('');
  const [error, setError] = useState<string>();
  const [done, setDone] = useState(0);
  const [result, setResult] = useState<Acceptance>();
  const remaining = result ? [...result.failed.map(({ id }) => id), ...result.left] : ids;
  const acceptance = useApiMutation({
    mutationFn: (items: readonly string[]) => acceptItems({ ids: items, folder }, setDone),
    invalidates: [requestKeys.all, documentKeys.all],
    successToast: ({ accepted }) =>
      accepted === 0 ? null : { title: pluralize(accepted, 'resposta aceita', 'respostas aceitas') },
    errorToast: { title: 'Erro ao aceitar' },
    onSuccessIfMounted(next) {
      if (next.failed.length > 0 || next.left.length > 0) return setResult(next);
      onClose();
      onDone();
    },
  });
  const { isPending } = acceptance;
  // Answers that leave the list stay in the dialog: accepted ones, and those that changed meanwhile, which it names.
  useEffect(() => {
    onHold(true);
    return () => onHold(false);
  }, [onHold]);
  const close = () => {
    if (isPending) return;
    onClose();
    // The answers that remain are still in the list.
    if (result) onDone();
  };
  const accept = () => {
    if (folder === '') return setError('Escolha uma pasta.');
    setDone(0);
    acceptance.mutate(remaining);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={`Aceitar ${pluralize(ids.length, 'resposta', 'respostas')}`}
      description="Os arquivos viram documentos dos seus clientes, com os nomes que têm; uma foto sem nome recebe o do item. Para recusar, abra o item e diga o motivo."
      className="sm:max-w-lg"
      footer={
        <>
          <Button variant="secondary" disabled={isPending} onClick={close}>
            {result ? 'Fechar' : 'Cancelar'}
          </Button>
          <Button icon={<Check size={20} aria-hidden />} pending={isPending} onClick={accept}>
            {result ? 'Tentar novamente' : `Aceitar ${formatInteger(ids.length)}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {result && !isPending && <Remainder result={result} />}
        <Field label="Pasta *" required error={error}>
          {(control) => (
            <Select
              {...control}
              placeholder="Selecione uma pasta"
              disabled={isPending}
              options={folders
                .filter(({ archived }) => !archived)
                .map(({ id, name }) => ({ value: id, label: name }))}
              value={folder}
              onChange={({ target }) => {
                setFolder(target.value);
                setError(undefined);
              }}
            />
          )}
        </Field>
        {isPending && (
          <ProgressBar
            label={`${formatInteger(done)} de ${formatInteger(remaining.length)}`}
            value={done / Math.max(remaining.length, 1)}
          />
        )}
      </div>
    </Dialog>
  );
}

/** The answers that were not accepted, with the reasons. */
function Remainder({ result: { failed, left } }: { result: Acceptance }) {
  return (
    <Alert variant="danger">
      {failed.length > 0 && (
        <>
          <p>{pluralize(failed.length, 'resposta não foi aceita:', 'respostas não foram aceitas:')}</p>
          <ul
            aria-label="Respostas não aceitas"
            className="mt-2 flex max-h-48 flex-col gap-1 overflow-y-auto"
          >
            {failed.map(({ id, label, reason }) => (
              <li key={id} className="wrap-anywhere">
                <span className="font-medium">{label}</span>: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
      {left.length > 0 && (
        <p className={failed.length > 0 ? 'mt-2' : undefined}>
          O servidor deixou de responder.{' '}
          {pluralize(left.length, 'resposta ainda não foi aceita.', 'respostas ainda não foram aceitas.')}
        </p>
      )}
    </Alert>
  );
}
