import { useQuery } from '@tanstack/react-query';
import { type Ref, useState } from 'react';

import { type Client, FOUND_CLIENTS, foundClientsQuery } from '~/features/clients/api/clients';
import { useDebounced } from '~/hooks/use-debounced-value';
import { formatCount } from '~/lib/format';
import { Combobox, type ComboboxOption } from '~/ui/combobox';
import type { ControlProps } from '~/ui/field';

type ClientPickerProps = ControlProps & {
  /** Whom it begins with. */
  initial?: Client | null;
  onChange: (client: Client | null) => void;
  onBlur?: () => void;
  disabled: boolean;
  placeholder?: string;
  ref?: Ref<HTMLInputElement>;
};

/** A client, found by name or e-mail while one types: an office may have thousands. */
export function ClientPicker({
  initial = null,
  placeholder = 'Selecione um cliente',
  onChange,
  ...control
}: ClientPickerProps) {
  const [selected, setSelected] = useState<ComboboxOption | null>(initial && optionOf(initial));
  const [search, setSearch] = useState('');
  const asked = useDebounced(search);
  const found = useQuery(foundClientsQuery(asked));
  const searching = asked !== search || found.isFetching;
  return (
    <Combobox
      {...control}
      options={(found.data ?? []).map(optionOf)}
      selected={selected}
      onSelect={(option) => {
        setSelected(option);
        onChange(found.data?.find(({ id }) => id === option?.value) ?? null);
      }}
      onOpen={() => found.isError && void found.refetch()}
      onSearch={setSearch}
      placeholder={placeholder}
      empty={emptyText(searching, found.isError)}
      {...(found.data &&
        found.data.length >= FOUND_CLIENTS && {
          note: `São mais de ${formatCount(FOUND_CLIENTS)}: digite o nome ou o email.`,
        })}
    />
  );
}

function emptyText(searching: boolean, failed: boolean): string {
  if (searching) return 'Buscando…';
  return failed ? 'Não foi possível buscar os clientes.' : 'Nenhum cliente encontrado';
}

function optionOf({ id, email, fullName }: Client): ComboboxOption {
  return fullName === null ? { value: id, label: email } : { value: id, label: fullName, hint: email };
}
