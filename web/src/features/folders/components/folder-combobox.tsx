// Combobox of the folders that accept documents.
import { useQuery } from '@tanstack/react-query';
import { type Ref, useState } from 'react';

import { allFoldersQuery } from '~/features/folders/admin-api';
import { Combobox } from '~/ui/combobox';
import type { ControlProps } from '~/ui/field';

type FolderComboboxProps = ControlProps & {
  value: string;
  onChange: (folderId: string) => void;
  onBlur?: () => void;
  keepsSelection?: boolean;
  disabled: boolean;
  ref?: Ref<HTMLInputElement>;
};

/**
 * Folder combobox. The current folder stays selectable, even if it is archived. The field of a chosen folder is disabled
 * until its name is known.
 */
export function FolderCombobox({ value, onChange, disabled, ...control }: FolderComboboxProps) {
  const folders = useQuery(allFoldersQuery());
  // Text that is typed clears the value.
  const [kept, setKept] = useState(value);
  if (value !== '' && value !== kept) setKept(value);
  const options = (folders.data ?? [])
    .filter(({ id, archived }) => !archived || id === kept)
    .map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Combobox
      {...control}
      options={options}
      selected={options.find((option) => option.value === value) ?? null}
      onSelect={(option) => onChange(option?.value ?? '')}
      disabled={disabled || (value !== '' && folders.isPending)}
      onOpen={() => folders.isError && void folders.refetch()}
      placeholder="Selecione uma pasta"
      empty={emptyText(folders.isPending, folders.isError)}
    />
  );
}

function emptyText(pending: boolean, failed: boolean): string {
  if (pending) return 'Carregando…';
  return failed ? 'Não foi possível buscar as pastas.' : 'Nenhuma pasta encontrada';
}
