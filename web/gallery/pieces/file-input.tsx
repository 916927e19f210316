import { useState } from 'react';

import { Field } from '~/ui/field';
import { FileInput } from '~/ui/file-input';

import { Example, LONG_WORD } from '../example';

export function Examples() {
  return (
    <>
      <Example title="Empty">
        <Choice label="Arquivo do documento" />
      </Example>
      <Example title="Chosen, long name">
        <Choice label="Arquivo do balanço" first={new File(['%PDF-1.4'], `${LONG_WORD}.pdf`)} />
      </Example>
      <Example title="Invalid">
        <Choice label="Arquivo da guia" error="Escolha um arquivo." />
      </Example>
      <Example title="Disabled">
        <Choice label="Arquivo em envio" first={new File(['%PDF-1.4'], 'em envio.pdf')} disabled />
      </Example>
    </>
  );
}

type ChoiceProps = { label: string; first?: File; error?: string; disabled?: boolean };

function Choice({ label, first, error, disabled = false }: ChoiceProps) {
  const [file, setFile] = useState(first ?? null);
  const [refused, setRefused] = useState('');
  return (
    <Field label={label} error={refused || error}>
      {(control) => (
        <FileInput
          {...control}
          file={file}
          hint="PDF, até 50 MB"
          disabled={disabled}
          onChoose={setFile}
          onRefuse={setRefused}
          onRemove={() => setFile(null)}
        />
      )}
    </Field>
  );
}
