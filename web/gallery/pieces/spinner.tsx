import { PageSpinner, Spinner } from '~/ui/spinner';

import { Example } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Beside a text">
        <span className="flex items-center gap-2">
          <Spinner /> Enviando…
        </span>
      </Example>
      <Example title="Page">
        <PageSpinner />
      </Example>
    </>
  );
}
