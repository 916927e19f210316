import { Alert } from '~/ui/alert';

import { Example, LONG_WORD } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Information">
        <Alert variant="info">O portal fica em manutenção neste sábado, das 8h às 9h.</Alert>
      </Example>
      <Example title="Success">
        <Alert variant="success">A senha foi alterada.</Alert>
      </Example>
      <Example title="Danger">
        <Alert variant="danger">
          <p className="font-medium">O arquivo não foi enviado.</p>
          <p className="wrap-anywhere">{LONG_WORD}.pdf excede o limite de 50 MB.</p>
        </Alert>
      </Example>
    </>
  );
}
