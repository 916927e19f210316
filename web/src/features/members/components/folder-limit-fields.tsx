// Fields of the folders to which a person is limited.
import { useQuery } from '@tanstack/react-query';

import { folderNamesQuery } from '~/features/members/api';
import { Checkbox } from '~/ui/checkbox';
import { Field } from '~/ui/field';
import { Select } from '~/ui/select';

const REACHES = [
  { value: 'all', label: 'Todas' },
  { value: 'some', label: 'Escolher…' },
];

export const NO_FOLDER = 'Escolha pelo menos uma pasta.';

type FolderLimitFieldsProps = {
  /** Ids of the folders; null for all folders. */
  value: string[] | null;
  error?: string | undefined;
  onChange: (folders: string[] | null) => void;
};

export function FolderLimitFields({ value, error, onChange }: FolderLimitFieldsProps) {
  const folders = useQuery(folderNamesQuery());
  return (
    <>
      <Field
        label="Pastas"
        error={error}
        hint={
          value === null
            ? 'A pessoa vê os documentos de todas as pastas.'
            : 'A pessoa vê só os documentos destas pastas. Os tickets e as solicitações ela vê todos.'
        }
      >
        {(control) => (
          <Select
            {...control}
            value={value === null ? 'all' : 'some'}
            options={REACHES}
            onChange={({ target }) => onChange(target.value === 'all' ? null : [])}
          />
        )}
      </Field>
      {value !== null && folders.data && (
        <fieldset ref={reveal} className="border-border rounded border px-4 py-1">
          <legend className="sr-only">Pastas que a pessoa vê</legend>
          {folders.data.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              checked={value.includes(id)}
              onChange={({ target }) =>
                onChange(target.checked ? [...value, id] : value.filter((other) => other !== id))
              }
            />
          ))}
        </fieldset>
      )}
    </>
  );
}

/** Shows the folders when they appear, which may be below the visible part of the dialog. */
function reveal(folders: HTMLElement | null): void {
  folders?.scrollIntoView({ block: 'nearest' });
}
