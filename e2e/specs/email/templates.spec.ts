// Mail templates: list and form.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { unwrap, expectOk, serviceClient } from '../../helpers/api.ts';
import { loseAnswer } from '../../helpers/network.ts';
import {
  htmlModeButton,
  visualModeButton,
  templatesTable,
  toolbarButton,
  contentField,
} from '../../helpers/templates.ts';

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Templates de Email' }).getByRole('row').filter({ hasText: name });

test.beforeEach(async ({ page, app }) => {
  await expectOk(templatesTable(app).delete().neq('name', ''));
  await signInAsAdmin(page);
});

test.describe('template list', () => {
  test('is searched, marks templates in use, and explains the effect of a deletion', async ({
    page,
    app,
  }) => {
    const common = { subject: 'Olá', html_content: '<p>Olá</p>', event_trigger: 'fatura_new' };
    await expectOk(templatesTable(app).insert({ ...common, name: 'Antigo' }));
    await expectOk(templatesTable(app).insert({ ...common, name: 'Recente' }));
    await expectOk(
      templatesTable(app).insert({
        ...common,
        name: 'Contrato',
        subject: 'Seu contrato',
        event_trigger: 'contrato_new',
      }),
    );
    await page
      .getByRole('navigation', { name: 'Administração' })
      .getByRole('link', { name: 'Templates Email' })
      .click();
    await expect(row(page, 'Recente')).toContainText(/em uso.*Olá.*fatura_new/s);
    await expect(row(page, 'Antigo')).not.toContainText('em uso');
    const search = page.getByRole('searchbox');
    await search.fill('contrato_new');
    await expect(row(page, 'Seu contrato')).toBeVisible();
    await expect(row(page, 'Antigo')).toBeHidden();
    await search.fill('nada assim');
    await expect(page.getByText('Nenhum template encontrado')).toBeVisible();
    await search.fill('');

    const dialog = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
    await page.getByRole('button', { name: 'Excluir Recente' }).click();
    await expect(dialog).toContainText('passam a sair com o template “Antigo”');
    await dialog.getByRole('button', { name: 'Excluir' }).click();
    await expect(page.getByText('Template excluído com sucesso!')).toBeVisible();
    await expect(row(page, 'Antigo')).toContainText('em uso');
    await page.getByRole('button', { name: 'Excluir Antigo' }).click();
    await app.portaria.withBrokenTable('email_templates', async () => {
      await dialog.getByRole('button', { name: 'Excluir' }).click();
      await expect(page.getByText('Erro ao excluir template')).toBeVisible();
    });
    await page.getByRole('button', { name: 'Excluir Antigo' }).click();
    await expect(dialog).toContainText('continuam saindo, com o texto padrão do portal');
    await dialog.getByRole('button', { name: 'Cancelar' }).click();
    await expect(row(page, 'Antigo')).toBeVisible();
  });

  test('creates default templates for triggers without one', async ({ page }) => {
    await page.goto('/admin/email-templates');
    await expect(page.getByText('Nenhum template encontrado')).toBeVisible();
    await page.getByRole('button', { name: 'Criar modelos padrão' }).click();
    await expect(page.getByText('14 modelos criados com sucesso!')).toBeVisible();
    await expect(page.getByText('em uso')).toHaveCount(14);
    await expect(page.getByRole('button', { name: 'Criar modelos padrão' })).toBeHidden();
    await page.goto('/admin/dashboard');
    await expect(page.getByRole('main').getByRole('link', { name: /^Templates de Email/ })).toContainText(
      '14',
    );
  });

  test('shows a failed request, and a missing template leads back to the list', async ({ page, app }) => {
    await app.portaria.withBrokenTable('email_templates', async () => {
      await page.goto('/admin/email-templates');
      await expect(page.getByText('Erro ao buscar templates')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Tentar novamente' })).toBeVisible();
    });
    await page.getByRole('button', { name: 'Tentar novamente' }).click();
    await expect(page.getByText('Nenhum template encontrado')).toBeVisible();
    await page.goto('/admin/email-templates/edit/nenhum');
    await expect(page.getByText('Erro ao carregar template')).toBeVisible();
    await expect(page).toHaveURL('/admin/email-templates');
  });
});

test.describe('template form', () => {
  test('shows validation errors and asks before unsaved changes are left', async ({ page }) => {
    await page.goto('/admin/email-templates/new');
    await expect(page.getByRole('heading', { level: 1, name: 'Novo Template de Email' })).toBeVisible();
    // The fixed order and sizes of the fields.
    const fields = page.locator('form').getByRole('textbox').or(page.locator('form').getByRole('combobox'));
    await expect(contentField(page)).toBeVisible();
    const names = ['Nome do Template *', 'Descrição (Interna)', 'Assunto do Email *', 'Gatilho do Evento *'];
    for (const [at, name] of [...names, 'Conteúdo HTML do Email *'].entries()) {
      await expect(fields.nth(at)).toHaveAccessibleName(name);
    }
    await expect(page.getByLabel('Descrição (Interna)')).toHaveAttribute('rows', '2');
    await expect(contentField(page)).toHaveCSS('min-height', '288px');
    await htmlModeButton(page).click();
    await expect(contentField(page)).toHaveAttribute('rows', '15');
    await visualModeButton(page).click();
    await page.getByLabel('Nome do Template').fill('   ');
    await page.getByRole('button', { name: 'Criar Template' }).click();
    for (const message of [
      'Nome do template é obrigatório.',
      'Assunto do email é obrigatório.',
      'Gatilho do evento é obrigatório.',
      'Conteúdo HTML é obrigatório.',
      'Erro de Validação',
      'Por favor, preencha todos os campos obrigatórios.',
    ]) {
      await expect(page.getByText(message)).toBeVisible();
    }
    await contentField(page).fill('Olá');
    await expect(page.getByText('Conteúdo HTML é obrigatório.')).toBeHidden();
    await page.getByRole('link', { name: 'Cancelar' }).click();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page).toHaveURL('/admin/email-templates');
  });

  test('offers eight triggers, and two more if their settings are on', async ({ page, app }) => {
    const settings = serviceClient(app.portaria).from('email_notification_settings');
    await expectOk(settings.delete().neq('document_type_event', ''));
    await page.goto('/admin/email-templates/new');
    const values = () =>
      page
        .getByLabel('Gatilho do Evento')
        .locator('option')
        .evaluateAll((options) => options.map((option) => option.getAttribute('value')));
    const eight = [
      'contrato_new',
      'fatura_new',
      'fatura_expiring_soon',
      'fatura_expired',
      'relatorio_new',
      'aviso_geral',
      'ticket_created_user',
      'ticket_updated_user',
    ];
    await expect.poll(values).toEqual(['', ...eight]);
    await expectOk(settings.insert({ document_type_event: 'contrato_expired', enabled: true }));
    await page.reload();
    await expect.poll(values).toEqual(['', ...eight, 'contrato_expired']);
    await expectOk(settings.delete().eq('document_type_event', 'contrato_expired'));
  });

  test('lists unknown and unavailable variables while typing, and the server refuses unknown ones', async ({
    page,
    app,
  }) => {
    await page.goto('/admin/email-templates/new');
    await page.getByLabel('Nome do Template').fill('Variáveis');
    await page.getByLabel('Gatilho do Evento').selectOption('Nova fatura');
    await page.getByLabel('Assunto do Email').fill('Olá {{client.cpf}} {{ticket.id}}');
    await expect(page.getByText('Não existem: {{client.cpf}}.')).toBeVisible();
    await expect(page.getByText('Sem valor neste gatilho: {{ticket.id}}.')).toBeVisible();
    await contentField(page).fill('Bom dia. ');
    await page.getByRole('button', { name: 'Inserir {{client.name}}: Nome do cliente' }).click();
    await expect(contentField(page)).toHaveText('Bom dia. {{client.name}}');
    await expect(page.getByRole('button', { name: /^Inserir {{ticket.subject}}/ })).toBeDisabled();
    await page.getByRole('button', { name: 'Criar Template' }).click();
    await expect(page.getByText('Erro ao salvar template')).toBeVisible();
    await expect(page.getByLabel('Assunto do Email')).toHaveAccessibleDescription(
      /Estas variáveis não existem: client.cpf/,
    );
    await page.getByLabel('Assunto do Email').fill('Olá {{ client.name }} {{ticket.id}}');
    await page.getByRole('button', { name: 'Criar Template' }).click();
    await expect(page.getByText('Template criado com sucesso!')).toBeVisible();
    const saved = await unwrap(templatesTable(app).select().eq('name', 'Variáveis').single());
    expect(saved).toMatchObject({
      subject: 'Olá {{ client.name }} {{ticket.id}}',
      html_content: '<p>Bom dia. {{client.name}}</p>',
      event_trigger: 'fatura_new',
      description: null,
    });
  });

  test('inserts variables at the cursor of the text that had the focus last', async ({ page }) => {
    await page.goto('/admin/email-templates/new');
    const insert = (name: string) => page.getByRole('button', { name: `Inserir {{${name}}}` }).click();
    const subject = page.getByLabel('Assunto do Email');
    await contentField(page).fill('Olá, ');
    await insert('client.name');
    await subject.fill('Chegou:  para você');
    await subject.evaluate((field: HTMLInputElement) => field.setSelectionRange(8, 8));
    await insert('document.name');
    await expect(subject).toHaveValue('Chegou: {{document.name}} para você');
    await expect(subject).toBeFocused();
    await htmlModeButton(page).click();
    await contentField(page).press('ControlOrMeta+End');
    // The list is one tab stop, and a key inserts as a click does.
    await page.getByRole('button', { name: 'Inserir {{client.name}}' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(contentField(page)).toHaveValue('<p>Olá, {{client.name}}</p>{{document.name}}');
    await expect(subject).toHaveValue('Chegou: {{document.name}} para você');
  });

  test('begins with a ready text, and asks before it replaces what was written', async ({ page, app }) => {
    await page.goto('/admin/email-templates/new');
    const begin = async (name: string) => {
      await page.getByRole('button', { name: 'Começar com um modelo pronto' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    await begin('Nova fatura');
    await expect(page.getByLabel('Assunto do Email')).toHaveValue('Chegou uma fatura: {{document.name}}');
    const mail = page.frameLocator('iframe[title="E-mail"]');
    await expect(mail.getByText('A fatura Documento de exemplo já está na pasta')).toBeVisible();
    await expect(mail.getByRole('link', { name: 'Abrir o documento' })).toHaveClass('button');
    // An unchanged ready text is replaced at once.
    await begin('Ticket criado');
    await expect(page.getByLabel('Gatilho do Evento')).toHaveValue('ticket_created_user');
    await expect(visualModeButton(page)).toHaveAttribute('aria-pressed', 'true');
    await page.getByLabel('Nome do Template').fill('Chegou um ticket');
    await contentField(page).getByText('Recebemos o seu ticket').click();
    await page.keyboard.type('!');
    await begin('Aviso geral');
    const question = page.getByRole('alertdialog', { name: 'Usar o modelo pronto?' });
    await question.getByRole('button', { name: 'Ficar com o meu texto' }).click();
    await expect(page.getByLabel('Gatilho do Evento')).toHaveValue('ticket_created_user');
    await begin('Aviso geral');
    await question.getByRole('button', { name: 'Usar o modelo', exact: true }).click();
    await expect(contentField(page)).toContainText('Temos um aviso para você');
    // A lost answer makes no second template, and the next attempt saves what was changed since.
    await page.getByLabel('Nome do Template').fill('Chegou');
    await loseAnswer(page, '**/rest/v1/email_templates');
    await page.getByRole('button', { name: 'Criar Template' }).click();
    await expect(page.getByText('Erro ao salvar template')).toBeVisible();
    await page.getByLabel('Nome do Template').fill('Chegou um ticket');
    await page.getByRole('button', { name: 'Criar Template' }).click();
    await expect(page.getByText('Template criado com sucesso!')).toBeVisible();
    const saved = await unwrap(templatesTable(app).select().single());
    expect(saved).toMatchObject({
      subject: 'Aviso de {{office.name}}: {{document.name}}',
      event_trigger: 'aviso_geral',
    });
    await page.getByRole('link', { name: 'Chegou um ticket', exact: true }).click();
    await expect(contentField(page)).toContainText('Temos um aviso para você');
    await expect(page.getByRole('button', { name: 'Começar com um modelo pronto' })).toBeHidden();
  });

  test('keeps HTML as typed and opens with the saved content', async ({ page, app }) => {
    const typed = '<!-- nota -->\n<div   class="caixa">Olá,&nbsp;<b>{{client.name}}</b></div>\n';
    await page.goto('/admin/email-templates/new');
    await page.getByLabel('Nome do Template').fill('À mão');
    await page.getByLabel('Descrição (Interna)').fill('Só para nós');
    await page.getByLabel('Assunto do Email').fill('Olá');
    await page.getByLabel('Gatilho do Evento').selectOption('Aviso geral');
    await htmlModeButton(page).click();
    await contentField(page).fill(typed);
    await visualModeButton(page).click();
    const question = page.getByRole('alertdialog', { name: 'O editor visual não mantém tudo' });
    await expect(question.getByRole('listitem')).toHaveText(['class em <div>', 'comentários']);
    await question.getByRole('button', { name: 'Continuar no HTML' }).click();
    await expect(contentField(page)).toHaveValue(typed);
    // Opening the visual editor without a change keeps the typed HTML.
    await visualModeButton(page).click();
    await question.getByRole('button', { name: 'Abrir no editor visual' }).click();
    await expect(contentField(page)).toHaveText('Olá, {{client.name}}');
    await page.getByRole('button', { name: 'Criar Template' }).click();
    await expect(page.getByText('Template criado com sucesso!')).toBeVisible();
    const saved = await unwrap(templatesTable(app).select().eq('name', 'À mão').single());
    expect(saved.html_content).toBe(typed);

    await page.getByRole('link', { name: 'À mão', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Editar Template de Email' })).toBeVisible();
    await expect(page.getByText('Aberto como HTML')).toBeVisible();
    await contentField(page).fill('<p>Curto</p>');
    await page.getByRole('button', { name: 'Salvar Template' }).click();
    await expect(page.getByText('Template atualizado com sucesso!')).toBeVisible();
    await page.getByRole('link', { name: 'À mão', exact: true }).click();
    await expect(contentField(page)).toHaveText('Curto');
    await expect(page.getByLabel('Descrição (Interna)')).toHaveValue('Só para nós');
  });

  test('limits the size of inline pictures in the form and on the server', async ({ page }) => {
    const heavy = `data:image/png;base64,${'A'.repeat(200_000)}`;
    await page.goto('/admin/email-templates/new');
    await page.getByLabel('Nome do Template').fill('Pesado');
    await page.getByLabel('Assunto do Email').fill('Olá');
    await page.getByLabel('Gatilho do Evento').selectOption('Aviso geral');
    await htmlModeButton(page).click();
    await contentField(page).fill(`<img src="${heavy}">`);
    await expect(page.getByText('Uma imagem dentro do conteúdo é grande demais.')).toBeVisible();
    await page.getByRole('button', { name: 'Criar Template' }).click();
    await expect(page.getByText('Erro ao salvar template')).toBeVisible();
    await expect(contentField(page)).toHaveAccessibleDescription(/Uma imagem do conteúdo tem mais de 100 kB/);
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`template form › has no accessibility violations in the ${colorScheme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto('/admin/email-templates/new');
    await page.getByLabel('Gatilho do Evento').selectOption('Nova fatura');
    await page.getByLabel('Assunto do Email').fill('{{client.cpf}} {{ticket.id}}');
    await contentField(page).fill('Olá');
    await expect(page.locator('iframe')).toBeVisible();
    // The frame runs no scripts, so axe cannot check it. The server renders its content.
    await expectAccessible(page, { exclude: 'iframe' });
    await toolbarButton(page, 'Cor do texto').click();
    await expect(page.getByRole('menu')).toBeVisible();
    await expectAccessible(page, { include: '[role=menu]' });
  });
}
