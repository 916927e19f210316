// Combobox that searches clients by name, e-mail address or number.
import { type Ref, useState } from 'react';

import { type Client, SEARCH_LIMIT } from '~/features/clients/api/clients';
import { formatInteger } from '~/lib/format';
import { Combobox, type ComboboxOption } from '~/ui/combobox';
import type { ControlProps } from '~/ui/field';

import { useClientSearch } from './use-client-search';

type ClientComboboxProps = ControlProps & {
  /** Initial selection. */
  initial?: Client | null;
  /** A new value restores the selection to `initial`: after a change elsewhere, or after a save that failed. */
  revision?: string;
  onChange: (client: Client | null) => void;
  onBlur?: () => void;
  keepsSelection?: boolean;
  disabled: boolean;
  placeholder?: string;
  ref?: Ref<HTMLInputElement>;
};

/** Client combobox. It searches on the server, because an office may have thousands of clients. */
export function ClientCombobox({
  initial = null,
  revision,
  placeholder = 'Selecione um cliente',
  onChange,
  ...control
}: ClientComboboxProps) {
  const [selected, setSelected] = useState<ClientOption | null>(initial && optionOf(initial));
  const [shown, setShown] = useState(revision);
  if (shown !== revision) {
    setShown(revision);
    setSelected(initial && optionOf(initial));
  }
  const { found, clients, isSearching, isAnswered, setSearch } = useClientSearch();
  return (
    <Combobox
      {...control}
      options={clients.map(optionOf)}
      selected={selected}
      onSelect={(option) => {
        setSelected(option);
        onChange(option?.client ?? null);
      }}
      onOpen={() => found.isError && void found.refetch()}
      onSearch={setSearch}
      isAnswered={isAnswered}
      placeholder={placeholder}
      empty={emptyText(isSearching, found.isError)}
      {...(clients.length >= SEARCH_LIMIT && {
        note: `São mais de ${formatInteger(SEARCH_LIMIT)}: digite o nome ou o email.`,
      })}
    />
  );
}

function emptyText(searching: boolean, failed: boolean): string {
  if (searching) return 'Buscando…';
  return failed ? 'Não foi possível buscar os clientes.' : 'Nenhum cliente encontrado';
}

type ClientOption = ComboboxOption & { client: Client };

function optionOf(client: Client): ClientOption {
  const { id, email, fullName } = client;
  return fullName === null
    ? { value: id, label: email, client }
    : { value: id, label: fullName, hint: email, client };
}
