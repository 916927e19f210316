// @vitest-environment happy-dom
import { createMemoryRouter, RouterProvider } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';

import { REQUIRED_FIELDS_TOAST, useZodForm } from '~/hooks/use-zod-form';
import { dismissToast, toastStore } from '~/lib/toast';
import { emailSchema } from '~/lib/validation';
import { find, perform, render, type } from '~/testing/render';

import { FormActions } from './form-actions';
import { EmailField, PasswordField, TextField } from './form-fields';
import { SelectField, TextareaField } from './more-form-fields';

const schema = z.object({
  name: z.string().check(z.minLength(1, 'Informe o nome.')),
  email: emailSchema(),
  password: z.string(),
  kind: z.string(),
  note: z.string().check(z.minLength(3, 'Escreva mais.')),
});
type Values = z.infer<typeof schema>;
const blank: Values = { name: '', email: '', password: '', kind: '', note: '' };

const send = vi.fn<(values: Values) => void>();

function Form({ values = blank }: { values?: Values }) {
  const form = useZodForm(schema, values, { invalidToast: REQUIRED_FIELDS_TOAST });
  return (
    <form noValidate onSubmit={form.handleSubmit((sent) => send(sent))}>
      <TextField {...form.bind('name')} label="Nome *" hint="Como no contrato." required maxLength={200} />
      <EmailField {...form.bind('email')} label="E-mail" required autoComplete="username" />
      <PasswordField {...form.bind('password')} label="Senha" autoComplete="new-password" />
      <SelectField
        {...form.bind('kind')}
        label="Tipo"
        options={[{ value: 'a', label: 'Aviso' }]}
        placeholder="Nenhum"
      />
      <TextareaField {...form.bind('note')} label="Texto" rows={8} controlClassName="tabular-nums" />
      <FormActions cancelTo="/" submit="Salvar" />
    </form>
  );
}

const page = (values?: Values) => (
  <RouterProvider
    router={createMemoryRouter([{ path: '/', element: <Form {...(values && { values })} /> }])}
  />
);
const field = (name: keyof Values) => find(`[name=${name}]`);
const submit = () => perform(() => find('[type=submit]').click());
const messages = () => [...document.querySelectorAll('form [role=alert]')].map((said) => said.textContent);

beforeEach(() => {
  send.mockReset();
  for (const { id } of toastStore.get()) dismissToast(id);
});

describe('a field of a form', () => {
  test('is tied to its label and its hint, and passes on what belongs to its control', async () => {
    await render(page());
    const name = field('name');
    expect(find(`label[for="${name.id}"]`).textContent).toBe('Nome *');
    expect(find(`#${CSS.escape(name.getAttribute('aria-describedby') ?? '')}`).textContent).toBe(
      'Como no contrato.',
    );
    expect(name.getAttribute('aria-required')).toBe('true');
    expect(name.getAttribute('maxlength')).toBe('200');
    expect(name.hasAttribute('registration')).toBe(false);
    expect(field('note').className).toContain('tabular-nums');
    expect(field('note').parentElement?.className).not.toContain('tabular-nums');
  });

  test('of an e-mail address asks for the keyboard and the name of the account', async () => {
    await render(page());
    const email = field('email');
    expect(email.getAttribute('type')).toBe('email');
    expect(email.getAttribute('inputmode')).toBe('email');
    expect(email.getAttribute('autocomplete')).toBe('username');
    expect(email.getAttribute('autocapitalize')).toBe('none');
  });

  test('of a password can be shown', async () => {
    await render(page());
    expect(field('password').getAttribute('type')).toBe('password');
    await perform(() => find('[aria-label="Mostrar senha"]').click());
    expect(field('password').getAttribute('type')).toBe('text');
  });
});

describe('a form that is sent', () => {
  test('with invalid fields says so once, marks them, and focuses the first', async () => {
    await render(page());
    await type(field('name'), 'Ana');
    await submit();
    expect(send).not.toHaveBeenCalled();
    expect(messages()).toEqual(['Informe o e-mail.', 'Escreva mais.']);
    expect(field('email').getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(field('email'));
    await submit();
    expect(toastStore.get()).toMatchObject([{ ...REQUIRED_FIELDS_TOAST, variant: 'error' }]);
  });

  test('with valid fields takes the toast of the last attempt away', async () => {
    await render(page());
    await submit();
    await type(field('name'), 'Ana');
    await type(field('email'), ' ana@padaria.com.br ');
    await type(field('note'), 'Bom dia');
    await submit();
    expect(send).toHaveBeenCalledWith({
      ...blank,
      name: 'Ana',
      email: 'ana@padaria.com.br',
      note: 'Bom dia',
    });
    expect(toastStore.get()).toEqual([]);
  });
});
