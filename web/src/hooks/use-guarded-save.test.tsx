// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';

import { find, perform, render, type } from '~/testing/render';

import { type EditConflict, updateUnlessChanged, useGuardedSave } from './use-guarded-save';
import { useZodForm } from './use-zod-form';

type Row = { version: number; name: string; status: string };
type Values = { name: string; status: string };

const SEEN: Row = { version: 1, name: 'Contrato', status: 'active' };
const BY_ANA = { author: 'Ana Prado', at: null };
const toValues = ({ name, status }: Row): Values => ({ name, status });

/** Saves changed values of a record that was `SEEN`, and is `now`. Returns the conflict and the record afterwards. */
async function save(now: Row, changes: Partial<Values>, findChange = () => Promise.resolve(BY_ANA)) {
  let row = now;
  const conflict = await updateUnlessChanged<Row, Values>({
    seen: SEEN,
    mine: { ...toValues(SEEN), ...changes },
    written: (['name', 'status'] as const).filter((field) => field in changes),
    update: ({ version }) => {
      if (version !== row.version) return Promise.resolve(false);
      row = { ...row, ...changes, version: version + 1 };
      return Promise.resolve(true);
    },
    reload: () => Promise.resolve(row),
    toValues,
    findChange,
  });
  return { conflict, row: toValues(row) };
}

describe('updateUnlessChanged', () => {
  test('saves a record that is unchanged', async () => {
    expect(await save(SEEN, { name: 'Acordo' })).toEqual({
      conflict: null,
      row: { name: 'Acordo', status: 'active' },
    });
  });

  test('keeps the change of another field', async () => {
    const now = { ...SEEN, version: 2, status: 'pending' };
    expect(await save(now, { name: 'Acordo' })).toEqual({
      conflict: null,
      row: { name: 'Acordo', status: 'pending' },
    });
  });

  test('refuses to replace a change of the same field', async () => {
    const now = { ...SEEN, version: 2, name: 'Aditivo' };
    expect(await save(now, { name: 'Acordo' })).toEqual({
      conflict: {
        version: now,
        before: { name: 'Contrato', status: 'active' },
        saved: { name: 'Aditivo', status: 'active' },
        mine: { name: 'Acordo', status: 'active' },
        change: BY_ANA,
      },
      row: { name: 'Aditivo', status: 'active' },
    });
  });

  test('shows the conflict without an author if the audit log cannot be read', async () => {
    const { conflict } = await save({ ...SEEN, version: 2, name: 'Aditivo' }, { name: 'Acordo' }, () =>
      Promise.reject(new Error('permission denied for table activity')),
    );
    expect(conflict?.change).toEqual({ author: null, at: null });
  });

  test('saves a value to which another person changed the field too', async () => {
    const now = { ...SEEN, version: 2, name: 'Acordo' };
    expect(await save(now, { name: 'Acordo', status: 'pending' })).toEqual({
      conflict: null,
      row: { name: 'Acordo', status: 'pending' },
    });
  });

  test('refuses if the record changes once more before the update is repeated', async () => {
    const versions = [{ ...SEEN, version: 2, status: 'pending' }];
    const conflict = await updateUnlessChanged<Row, Values>({
      seen: SEEN,
      mine: { name: 'Acordo', status: 'active' },
      written: ['name'],
      update: () => Promise.resolve(false),
      reload: () => Promise.resolve(versions.shift() ?? SEEN),
      toValues,
      findChange: () => Promise.resolve(BY_ANA),
    });
    expect(conflict?.version).toMatchObject({ version: 2 });
  });
});

type Client = { version: number; name: string };
type ClientValues = { name: string; password: string };

const clientSchema = z.object({ name: z.string(), password: z.string() });
const opened: Client = { version: 1, name: 'Caio' };
const conflict: EditConflict<Client, ClientValues> = {
  version: { version: 2, name: 'Caio da Ana' },
  before: { name: 'Caio', password: '' },
  saved: { name: 'Caio da Ana', password: '' },
  mine: { name: 'Caio da Helena', password: 'segredo novo' },
  change: BY_ANA,
};

const valueOf = (name: string): unknown => Reflect.get(find(`[name=${name}]`), 'value');

test('the saved version replaces the fields in conflict, and the other input stays', async () => {
  const attempts: { version: number; edited: object }[] = [];
  function Form() {
    const form = useZodForm(clientSchema, { name: opened.name, password: '' });
    const guard = useGuardedSave({
      form,
      version: opened,
      save: (_, { version }, edited) => {
        attempts.push({ version, edited: { ...edited } });
        return Promise.resolve(attempts.length === 1 ? conflict : null);
      },
    });
    return (
      <form noValidate onSubmit={form.handleSubmit((values) => guard.save(values))}>
        <input {...form.registerField('name')} />
        <input {...form.registerField('password')} type="password" />
        <p>{`${guard.conflict.open ? 'open' : 'closed'}: ${guard.conflict.item?.saved.name}`}</p>
        <button type="submit">Salvar</button>
        <button type="button" onClick={guard.discard}>
          Usar a versão salva
        </button>
      </form>
    );
  }
  await render(<Form />);
  await type(find('[name=name]'), 'Caio da Helena');
  await type(find('[name=password]'), 'segredo novo');
  await perform(() => find('[type=submit]').click());
  expect(find('p').textContent).toBe('open: Caio da Ana');
  await perform(() => find('button', 'Usar a versão salva').click());
  // The content stays for the exit animation of the dialog.
  expect(find('p').textContent).toBe('closed: Caio da Ana');
  expect(valueOf('name')).toBe('Caio da Ana');
  expect(valueOf('password')).toBe('segredo novo');
  await perform(() => find('[type=submit]').click());
  expect(attempts.at(-1)).toMatchObject({ version: 2, edited: { password: true } });
});
