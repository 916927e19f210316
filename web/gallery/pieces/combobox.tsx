import { useState } from 'react';

import { Button } from '~/ui/button';
import { Combobox, type ComboboxOption } from '~/ui/combobox';
import { Field } from '~/ui/field';

import { Example, LONG_NAME } from '../example';

const CLIENTS: ComboboxOption[] = [
  { value: '1', label: 'Padaria Aurora', hint: '11.222.333/0001-81' },
  { value: '2', label: 'Clínica São João', hint: '11.444.777/0001-61' },
  { value: '3', label: 'Oficina do Zé', hint: 'zé@oficina.com.br' },
  {
    value: '4',
    label: LONG_NAME,
    hint: 'financeiro.contas.a.pagar@associacaobeneficentedosprodutores.org.br',
  },
];

export function Examples() {
  return (
    <>
      <Example title="Empty">
        <Choice label="Cliente" placeholder="Digite o nome ou o CNPJ" />
      </Example>
      <Example title="Selected, with a note">
        <Choice label="Destinatário" first={CLIENTS[1]} note="Só os primeiros 50 clientes são mostrados." />
      </Example>
      <Example title="Invalid">
        <Choice label="Cliente da guia" error="Escolha um cliente." required />
      </Example>
      <Example title="In a form">
        <SendForm />
      </Example>
      <Example title="Disabled">
        <Choice label="Cliente do ticket" first={CLIENTS[3]} disabled />
      </Example>
    </>
  );
}

function SendForm() {
  const [selected, setSelected] = useState<ComboboxOption | null>(null);
  const [sent, setSent] = useState<string[]>([]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setSent([...sent, selected?.label ?? 'ninguém']);
      }}
    >
      <Field label="Favorecido">
        {(control) => <Combobox {...control} options={CLIENTS} selected={selected} onSelect={setSelected} />}
      </Field>
      <Button type="submit">Enviar</Button>
      <p role="status">{sent.map((name) => `Enviado para ${name}.`).join(' ')}</p>
    </form>
  );
}

type ChoiceProps = {
  label: string;
  first?: ComboboxOption | undefined;
  placeholder?: string;
  note?: string;
  error?: string;
  required?: boolean;
  disabled?: boolean;
};

function Choice({ label, first, error, required = false, ...rest }: ChoiceProps) {
  const [selected, setSelected] = useState(first ?? null);
  return (
    <Field label={label} error={error} required={required}>
      {(control) => (
        <Combobox {...rest} {...control} options={CLIENTS} selected={selected} onSelect={setSelected} />
      )}
    </Field>
  );
}
