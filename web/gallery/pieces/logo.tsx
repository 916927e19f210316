import { Logo } from '~/ui/logo';

import { Example, Row } from '../example';

export function Examples() {
  return (
    <Example title="Sizes">
      <Row>
        <Logo className="text-primary" />
        <Logo size={64} className="text-primary" />
      </Row>
    </Example>
  );
}
