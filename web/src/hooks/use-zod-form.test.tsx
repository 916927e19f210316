// @vitest-environment happy-dom
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import * as z from 'zod/mini';

import { INCOMPLETE_INPUT } from '~/lib/incomplete-input';
import { dismissToast, toastStore } from '~/lib/toast';
import { find, perform, render, type } from '~/testing/render';

import { useZodForm } from './use-zod-form';

const schema = z.object({
  name: z.string().check(z.minLength(1, 'Informe o nome.')),
  files: z.number().check(z.minimum(1, 'Escolha um arquivo.')),
});

const send = vi.fn<(values: z.infer<typeof schema>) => void>();

function Form() {
  const [files, setFiles] = useState(0);
  const form = useZodForm(schema, { name: '', files }, { invalidToast: (title) => ({ title }) });
  return (
    <form noValidate onSubmit={form.handleSubmit((values) => send(values))}>
      <input {...form.registerField('name')} />
      <p>{form.errorOf('files')}</p>
      <button type="button" onClick={() => setFiles(files + 1)}>
        Arquivo
      </button>
      <button type="submit">Enviar</button>
    </form>
  );
}

const submit = () => perform(() => find('[type=submit]').click());

test('a toast made of the first message names what is wrong', async () => {
  await render(<Form />);
  await submit();
  expect(toastStore.get()).toMatchObject([{ title: 'Informe o nome.', variant: 'error' }]);
  expect(find('p').textContent).toBe('Escolha um arquivo.');
  for (const { id } of toastStore.get()) dismissToast(id);
});

test('a date that is typed in part is refused, not sent as an empty one', async () => {
  await render(<Form />);
  Object.defineProperty(find('input'), 'validity', { value: { badInput: true } });
  await submit();
  expect(toastStore.get()).toMatchObject([{ title: INCOMPLETE_INPUT }]);
  for (const { id } of toastStore.get()) dismissToast(id);
});

test('values that change later replace those that were not edited', async () => {
  await render(<Form />);
  await type(find('input'), 'Ana');
  await perform(() => find('button', 'Arquivo').click());
  await perform(() => find('button', 'Arquivo').click());
  await submit();
  expect(send).toHaveBeenCalledExactlyOnceWith({ name: 'Ana', files: 2 });
});

test('a schema that loads on demand checks the form, and a second click meanwhile sends it once', async () => {
  const loaded = Promise.withResolvers<typeof named>();
  await render(<LazyForm load={() => loaded.promise} />);
  await type(find('input'), 'Ana');
  await submit();
  await submit();
  expect(sendName).not.toHaveBeenCalled();
  await perform(() => loaded.resolve(named));
  expect(sendName).toHaveBeenCalledExactlyOnceWith({ name: 'Ana' });
});

test('a schema that cannot be loaded is reported, and the form can be sent again', async () => {
  let isOffline = true;
  const load = () => (isOffline ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(named));
  await render(<LazyForm load={load} />);
  await submit();
  expect(toastStore.get()).toMatchObject([{ title: 'Erro', variant: 'error' }]);
  isOffline = false;
  await submit();
  expect(find('p').textContent).toBe('Informe o nome.');
});

const named = z.object({ name: z.string().check(z.minLength(1, 'Informe o nome.')) });
const sendName = vi.fn<(values: z.infer<typeof named>) => void>();

function LazyForm({ load }: { load: () => Promise<typeof named> }) {
  const form = useZodForm(load, { name: '' });
  return (
    <form noValidate onSubmit={form.handleSubmit((values) => sendName(values))}>
      <input {...form.registerField('name')} />
      <p>{form.errorOf('name')}</p>
      <button type="submit">Enviar</button>
    </form>
  );
}
