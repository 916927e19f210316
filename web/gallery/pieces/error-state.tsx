import { useState } from 'react';

import { Card } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';

import { Example } from '../example';

export function Examples() {
  const [retries, setRetries] = useState(0);
  return (
    <>
      <Example title="Failed request">
        <Card>
          <ErrorState onRetry={() => setRetries(retries + 1)} />
        </Card>
        <output className="text-sm">Tentativas: {retries}</output>
      </Example>
      <Example title="Another reason">
        <Card>
          <ErrorState
            title="A pré-visualização não abriu."
            hint="O arquivo pode estar protegido por senha."
            onRetry={() => setRetries(retries + 1)}
          />
        </Card>
      </Example>
    </>
  );
}
