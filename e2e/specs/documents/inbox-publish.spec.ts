// The publication of files of the inbox: who receives them, and publications of any size.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { expectOk, serviceClient, signIn, unwrap } from '../../helpers/api.ts';
import { seedRecognizedFiles } from '../../helpers/inbox.ts';

/** Opens the dialog that publishes all recognized files. */
async function openDialog(page: Page, count: string) {
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk?grupo=recognized');
  await page.getByRole('button', { name: `Publicar ${count}` }).click();
  return page.getByRole('dialog', { name: `Publicar ${count} documentos` });
}

test('inbox › the dialog states for each client whether a mail goes out', async ({ page, app }) => {
  const service = serviceClient(app.portaria);
  await expectOk(
    service.from('email_notification_settings').upsert(
      [
        { document_type_event: 'fatura_new', enabled: true },
        { document_type_event: 'contrato_new', enabled: false },
      ],
      { onConflict: 'document_type_event' },
    ),
  );
  const seed = (client: string, folder: string, count = 1) =>
    seedRecognizedFiles(app, { client, folder, count });
  const notified = await app.newClient('Adega Avisada');
  seed(notified.id, 'faturas', 2);
  const muted = await app.newClient('Bazar Mudo');
  seed(muted.id, 'faturas');
  await expectOk((await signIn(app.portaria, muted)).from('muted_topics').insert({ topic: 'documents' }));
  const suspended = await app.newClient('Cantina Suspensa');
  seed(suspended.id, 'faturas');
  await unwrap(service.auth.admin.updateUserById(suspended.id, { ban_duration: '48h' }));
  const partly = await app.newClient('Drogaria Parcial');
  seed(partly.id, 'faturas');
  seed(partly.id, 'documentos-pessoais');
  const off = await app.newClient('Editora Desligada');
  seed(off.id, 'contratos');

  const replacing = await app.newClient('Funilaria Trocada');
  seed(replacing.id, 'faturas');
  for (const { id } of [notified, replacing]) {
    const guide = { client_id: id, folder_id_supabase: 'faturas', name: 'DAS', category: 'das' };
    const values = { reference_month: '2026-11', amount_cents: 22_200, type: 'pdf', size: 7 };
    await expectOk(service.from('documents').insert({ ...guide, ...values }));
    app.portaria.execSql(`UPDATE inbox_files SET category = 'das', reference_month = '2026-11',
      duplicate_of_id = (SELECT id FROM documents WHERE client_id = '${id}'), duplicate_choice = 'replace'
      WHERE id = (SELECT id FROM inbox_files WHERE client_id = '${id}' ORDER BY name LIMIT 1)`);
  }

  const dialog = await openDialog(page, '8');
  await expect(dialog.getByRole('listitem')).toContainText([
    /Adega Avisada.*2 documentosRecebe e-mailSubstitui um documento$/,
    /Bazar Mudo.*Sem e-mail: desligou os avisos de documentos no próprio perfil/,
    /Cantina Suspensa.*Sem e-mail: este acesso não recebe e-mails/,
    /Drogaria Parcial.*Recebe e-mail, mas não de tudo: a pasta não tem tipo para notificação/,
    /Editora Desligada.*Sem e-mail: “Contrato: novo documento adicionado” está desligado/,
    /Funilaria Trocada.*1 documentoRecebe e-mailSubstitui um documento$/,
  ]);
  await expect(dialog.getByRole('status')).toHaveText('3 clientes não serão avisados por e-mail.');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  const line = page.getByRole('row', { name: 'Funilaria Trocada' });
  await expect(line).toContainText('Substitui um documento');
  await line.getByRole('button').click();
  await expect(
    page.getByText('Já existe DAS de 11/2026 deste cliente (R$ 222,00): ver o documento.'),
  ).toBeVisible();
  await expectOk(service.from('inbox_files').delete().not('id', 'is', null));
});

test('inbox › more than 1,000 files are published and undone together', async ({ page, app }) => {
  const client = await app.newClient('Atacado da Caixa');
  seedRecognizedFiles(app, { client: client.id, folder: 'faturas', count: 1_001 });
  const dialog = await openDialog(page, '1.001');
  // A date without its time is not the same as no date.
  await dialog.getByLabel('Data e hora (opcional)').press('1');
  await dialog.getByRole('button', { name: 'Publicar agora' }).click();
  await expect(dialog.getByText('Complete a data, ou apague o que digitou.')).toBeVisible();
  await dialog.getByLabel('Data e hora (opcional)').fill('2020-01-01T08:00');
  await dialog.getByRole('button', { name: 'Agendar' }).click();
  await expect(dialog.getByText('Escolha uma data e hora dos próximos 60 dias.')).toBeVisible();
  await dialog.getByLabel('Data e hora (opcional)').fill(tomorrow());
  await dialog.getByRole('button', { name: 'Agendar' }).click();
  await expect(page.getByText(/^1\.001 documentos serão publicados em/)).toBeVisible({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Desfazer' }).click();
  const groups = page.getByRole('group', { name: 'Grupo' });
  await expect(groups.getByRole('button', { name: 'Agendados' })).toHaveText('Agendados 0', {
    timeout: 30_000,
  });
  await expect(groups.getByRole('button', { name: 'Reconhecidos' })).toContainText('1.001');
  await expectOk(serviceClient(app.portaria).from('inbox_files').delete().not('id', 'is', null));
});

/** This time tomorrow, as a field for date and time contains it. */
function tomorrow(): string {
  return new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 16);
}
