import { useState } from 'react';

import { Dropzone } from '~/ui/dropzone';
import { Field } from '~/ui/field';
import { DropHint } from '~/ui/file-input';

import { Example } from '../example';

export function Examples() {
  return (
    <>
      <Example title="One file">
        <Zone label="Contrato" hint="PDF, até 50 MB" />
      </Example>
      <Example title="Several files and folders, compact">
        <Zone label="Notas do mês" hint="Um a um ou uma pasta inteira" multiple folders compact />
      </Example>
      <Example title="Invalid">
        <Zone label="Comprovante" hint="PDF ou imagem" error="Escolha um arquivo." />
      </Example>
      <Example title="Disabled">
        <Zone label="Extrato" hint="PDF, até 50 MB" disabled />
      </Example>
    </>
  );
}

type ZoneProps = {
  label: string;
  hint: string;
  multiple?: boolean;
  folders?: boolean;
  compact?: boolean;
  disabled?: boolean;
  error?: string;
};

/** A drop zone with the names of the files, or the reason of the refusal. */
function Zone({ label, hint, error, compact = false, disabled = false, ...rest }: ZoneProps) {
  const [received, setReceived] = useState('');
  return (
    <Field label={label} error={error}>
      {(control) => (
        <>
          <Dropzone
            {...rest}
            {...control}
            disabled={disabled}
            onFiles={(files) => setReceived(files.map(({ name }) => name).join(', '))}
            onRefuse={setReceived}
          >
            <DropHint what="Selecione" hint={hint} compact={compact} />
          </Dropzone>
          {received !== '' && <output className="text-sm">{received}</output>}
        </>
      )}
    </Field>
  );
}
