import { ProgressBar } from '~/ui/progress-bar';

import { Example } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Begin">
        <ProgressBar label="Enviando contrato.pdf" value={0} />
      </Example>
      <Example title="Middle">
        <ProgressBar label="Enviando balanço.pdf" value={0.426} />
      </Example>
      <Example title="End">
        <ProgressBar label="Enviando guia.pdf" value={1} />
      </Example>
    </>
  );
}
