// Notification settings and mail templates.

import { beforeAll, describe, expect, test } from 'vitest';

import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { type ApiClient, unwrap, expectOk, signIn, present } from '../helpers/api.ts';
import { openServer } from './server.ts';

describe('mail settings', () => {
  let portaria: Portaria;
  let admin: ApiClient;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    admin = await signIn(portaria, ADMIN);
  });

  test('are saved by one upsert over existing rows', async () => {
    const settings = [
      { document_type_event: 'contrato_new', enabled: true },
      { document_type_event: 'fatura_new', enabled: true },
      { document_type_event: 'fatura_expiring_soon', enabled: false },
    ];
    await expectOk(settingsTable().upsert(settings, { onConflict: 'document_type_event' }));
    expect(await saved()).toEqual([settings[0], settings[2], settings[1]]);

    const changed = settings.map((setting) => ({ ...setting, enabled: !setting.enabled }));
    await expectOk(settingsTable().upsert(changed, { onConflict: 'document_type_event' }));
    expect(await saved()).toEqual([changed[0], changed[2], changed[1]]);
  });

  test('templates are created, read, changed and deleted', async () => {
    const template = {
      name: 'Nova fatura',
      subject: 'Olá, {{client.name}}: há uma nova fatura',
      html_content: '<p>{{document.name}}: <a href="{{document.link}}">abrir</a></p>',
      event_trigger: 'fatura_new',
      description: null,
    };
    await expectOk(
      templates().insert([template, { ...template, name: 'Aviso geral', event_trigger: 'aviso_geral' }]),
    );
    const all = await unwrap(templates().select('*').order('name', { ascending: true }));
    expect(all.map(({ name }) => name)).toEqual(['Aviso geral', 'Nova fatura']);

    const { id } = present(all[1]);
    expect(await unwrap(templates().select('*').eq('id', id).single())).toMatchObject(template);
    await expectOk(
      templates()
        .update({ ...template, subject: 'Sua fatura chegou' })
        .eq('id', id),
    );
    expect(await unwrap(templates().select('subject').eq('id', id).single())).toEqual({
      subject: 'Sua fatura chegou',
    });

    await expectOk(templates().delete().eq('id', id));
    const missing = await templates().select('*').eq('id', id).single();
    expect(missing).toMatchObject({ status: 406, error: { code: 'PGRST116' } });
  });

  function settingsTable() {
    return admin.from('email_notification_settings');
  }

  function saved() {
    return unwrap(settingsTable().select('document_type_event, enabled').order('document_type_event'));
  }

  function templates() {
    return admin.from('email_templates');
  }
});
