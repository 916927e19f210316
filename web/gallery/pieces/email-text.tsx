import { EmailText } from '~/ui/email-text';

import { Example } from '../example';

export function Examples() {
  return (
    <Example title="In a narrow place">
      <p className="border-border w-48 border p-2">
        <EmailText email="financeiro.matriz@padariaaurora.com.br" />
      </p>
    </Example>
  );
}
