// Folder and names of the documents that received files become.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';

import { documentKeys } from '~/features/documents/api/documents';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { fileReceivedFiles } from '~/features/requests/api/admin-requests';
import { type ReceivedFile, requestKeys } from '~/features/requests/api/requests';
import { proposeNames } from '~/features/requests/proposed-names';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { Select } from '~/ui/select';

type FilingFormProps = {
  /** The form keeps the files that it began with: later ones were not checked. */
  files: readonly ReceivedFile[];
  /** The content of the files, for those whose names say nothing; null if it is not known. */
  subject: string | null;
  /** The label of the button that sends the form. */
  submit: string;
  onCancel: () => void;
  onDone: () => void;
};

export function FilingForm({ files: checked, subject, submit, onCancel, onDone }: FilingFormProps) {
  const { data: folders = [] } = useQuery(allFoldersQuery());
  const [files] = useState(checked);
  const [folder, setFolder] = useState('');
  const [names, setNames] = useState(() => proposeNames(files, subject));
  const [error, setError] = useState<string>();
  const filing = useApiMutation({
    mutationFn: fileReceivedFiles,
    invalidates: [requestKeys.all, documentKeys.all],
    successToast: { title: pluralize(files.length, 'arquivo arquivado', 'arquivos arquivados') },
    errorToast: { title: 'Erro ao arquivar' },
    onSuccessIfMounted: onDone,
  });

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (filing.isPending) return;
    if (folder === '') return setError('Escolha uma pasta.');
    filing.mutate({ folder, names });
  };

  return (
    <form noValidate onSubmit={send} className="flex flex-col gap-4">
      <Field label="Pasta *" required error={error}>
        {(control) => (
          <Select
            {...control}
            placeholder="Selecione uma pasta"
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
      {files.map(({ id, name }) => (
        <Field key={id} label={`Nome do documento de ${name}`}>
          {(control) => (
            <Input
              {...control}
              maxLength={255}
              value={names[id]}
              onChange={({ target }) => setNames({ ...names, [id]: target.value })}
            />
          )}
        </Field>
      ))}
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onCancel}>
          Cancelar
        </Button>
        <Button
          type="submit"
          pending={filing.isPending}
          disabled={Object.values(names).some((name) => name.trim() === '')}
        >
          {submit}
        </Button>
      </div>
    </form>
  );
}
