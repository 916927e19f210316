// Search for a combobox of clients.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { searchClientsQuery } from '~/features/clients/api/clients';
import { useDebouncedValue } from '~/hooks/use-debounced-value';

/** Searches clients on the server for the text of a combobox: by name, e-mail address, CPF, CNPJ or phone number. */
export function useClientSearch() {
  const [search, setSearch] = useState('');
  const debounced = useDebouncedValue(search);
  const found = useQuery(searchClientsQuery(debounced));
  return {
    found,
    clients: found.data ?? [],
    isSearching: debounced !== search || found.isFetching,
    /** Whether `clients` is the answer to the present text, and not to an earlier one. */
    isAnswered: debounced === search && !found.isPlaceholderData,
    debounced,
    setSearch,
  };
}
