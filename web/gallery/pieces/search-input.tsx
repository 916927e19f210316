import { useState } from 'react';

import { SearchInput } from '~/ui/search-input';

import { Example } from '../example';

export function Examples() {
  const [search, setSearch] = useState('');
  const [filled, setFilled] = useState('padaria');
  return (
    <>
      <Example title="Empty">
        <SearchInput placeholder="Buscar documentos" value={search} onChange={setSearch} />
      </Example>
      <Example title="With a text">
        <SearchInput placeholder="Buscar clientes" value={filled} onChange={setFilled} />
      </Example>
    </>
  );
}
