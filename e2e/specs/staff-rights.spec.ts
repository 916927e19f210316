// Actions that limited staff are offered: a reader sees the work and no action, and a colleague with assigned clients
// does not change what concerns all clients.

import { expect, type Locator, type Page } from '@playwright/test';

import { signInAsAdmin, test, type TestApp } from '../fixtures/test.ts';
import {
  adminClient,
  BUCKET,
  expectOk,
  type Person,
  present,
  serviceClient,
  signIn,
  unwrap,
} from '../helpers/api.ts';
import { deletePerson } from '../helpers/clients.ts';
import { dayFromNow } from '../helpers/clock.ts';
import { seedDocument } from '../helpers/documents.ts';
import { openRowMenu } from '../helpers/lists.ts';
import { pdfWithText } from '../helpers/pdf.ts';
import { addTicket } from '../helpers/tickets.ts';

/** A screen with actions that change something. */
interface Screen {
  readonly path: string;
  /** A text of the loaded screen. */
  readonly shows: string;
  /** The step that shows the actions. */
  readonly open?: (page: Page) => Promise<void>;
  /** Names of actions that an administrator is offered. */
  readonly actions: readonly string[];
}

/** The beginnings of names of actions that change something. */
const CHANGES =
  /^(?:Abrir WhatsApp|Aceitar|Adicionar|Apagar|Arquivar|Assumir|Atribuir|Cancelar|Conferir|Convidar|Criar|Desfazer|Descartar|Editar|Enviar (?!para)|Esvaziar|Excluir|Fechar ticket|Importar|Lembr|Marcar como entregue|Mover|Nov[oa] |Pedir|Publicar|Reabrir|Recolher|Recusar|Redefinir|Reenviar|Remover|Responder|Restaurar|Salvar|Selecionar o|Solicitar|Substituir|Tornar|Ver como|WhatsApp)/;

/** The names of the offered actions that change something. */
async function changesOn(page: Page): Promise<string[]> {
  const controls = page.locator(':is(button, a[href], [role=menuitem]):visible');
  const names = await controls.evaluateAll((elements) =>
    elements.map((element) => (element.ariaLabel ?? element.textContent).trim()),
  );
  return names.filter((name) => CHANGES.test(name));
}

/** The controls whose name contains this one. */
function named(page: Page, name: string): Locator {
  const roles = ['link', 'menuitem', 'checkbox', 'combobox'] as const;
  return roles.reduce(
    (found, role) => found.or(page.getByRole(role, { name })),
    page.getByRole('button', { name }),
  );
}

async function createColleague(app: TestApp, name: string, rights: Record<string, unknown>): Promise<Person> {
  const email = `${name.toLowerCase()}@escritorio-direitos.com.br`;
  const password = `senha de ${email}`;
  const api = await adminClient(app.portaria, app.admin);
  const { user } = await unwrap(
    api.auth.admin.createUser({
      email,
      password,
      email_confirm: true,
      user_metadata: { full_name: name },
      app_metadata: { roles: ['admin'], ...rights },
    }),
  );
  return { id: user.id, email, password, name };
}

/** Adds a record of each kind that staff act on to a client. */
async function seedWork(app: TestApp, client: Person): Promise<Screen[]> {
  const session = await signIn(app.portaria, client);
  const { admin } = app;
  const seed = (name: string) => seedDocument(app, client, { name, expires: dayFromNow(3) });

  const answered = await seed('Contrato a aprovar');
  await expectOk(admin.from('documents').update({ approval_request: 'approve' }).eq('id', answered));
  const answeredFile = await unwrap(admin.from('documents').select('file_url').eq('id', answered).single());
  const approval = {
    document_id: answered,
    file_url: present(answeredFile.file_url),
    outcome: 'approved' as const,
  };
  await expectOk(session.from('document_approvals').insert(approval));
  await expectOk(
    session.from('document_payments').insert({ document_id: answered, paid_on: dayFromNow(-1) }),
  );
  const replacement = `public/${client.id}/faturas/${Date.now()}-nova-versao.pdf`;
  const pdf = new Blob([new Uint8Array(await pdfWithText('Nova versão'))], { type: 'application/pdf' });

  const replaced = await seed('Alvará com versões');
  await unwrap(admin.storage.from(BUCKET).upload(replacement, pdf));
  await expectOk(admin.from('documents').update({ file_url: replacement }).eq('id', replaced));
  const withdrawn = await seed('Guia recolhida');
  await expectOk(admin.rpc('withdraw_documents', { documents: [withdrawn] }));
  const deleted = await seed('Recibo na lixeira');
  await expectOk(admin.from('documents').delete().eq('id', deleted));
  await seed('DAS que ninguém abriu');

  const item = { client_id: client.id, name: 'Extrato do banco', month: dayFromNow(0).slice(0, 7) };
  const { id: itemId } = await unwrap(admin.from('request_items').insert(item).select('id').single());
  for (const asked of [itemId, null]) {
    const path = `${client.id}/${asked ?? 'unrequested'}/${Date.now()}-extrato.pdf`;
    await unwrap(session.storage.from('received-files').upload(path, pdf));
    const file = { item_id: asked, name: 'extrato.pdf', file_url: path };
    await expectOk(session.from('received_files').insert(file));
  }
  const ticket = await addTicket(app.portaria, client, { subject: 'Dúvida sobre leitura' });

  return [
    {
      path: '/admin/dashboard',
      shows: 'DAS que ninguém abriu',
      actions: [
        'Novo Cliente',
        'Enviar Documento',
        'Responder',
        'Lembrar: DAS que ninguém abriu',
        'Arquivar',
      ],
    },
    {
      path: '/admin/clients',
      shows: client.name,
      actions: ['Novo Cliente', 'Importar', `Editar ${client.name}`],
    },
    {
      path: `/admin/clients/view/${client.id}`,
      shows: 'Nenhuma pessoa foi atribuída a este cliente.',
      actions: ['Novo Documento', 'Ver como cliente', 'Editar', 'Excluir', 'Convidar pessoa', 'Atribuir a'],
    },
    {
      path: '/admin/documents',
      shows: 'Alvará com versões',
      open: (page) => page.getByRole('checkbox', { name: 'Selecionar Alvará com versões' }).check(),
      actions: [
        'Novo Documento',
        'Caixa de entrada',
        'Ações de Alvará com versões',
        'Mover',
        'Lembrar',
        'Excluir',
      ],
    },
    {
      path: `/admin/documents/view/${answered}`,
      shows: 'Pago, segundo o cliente',
      actions: ['Pedir de novo', 'Desfazer', 'Salvar Alterações', 'WhatsApp'],
    },
    {
      path: `/admin/documents/view/${replaced}`,
      shows: 'Arquivos anteriores',
      actions: ['Restaurar versão', 'Apagar versão'],
    },
    {
      path: `/admin/documents/view/${withdrawn}`,
      shows: 'não vê mais este documento',
      actions: ['Publicar de novo'],
    },
    {
      path: '/admin/documents/trash',
      shows: 'Recibo na lixeira',
      open: (page) => openRowMenu(page, 'Recibo na lixeira'),
      actions: ['Esvaziar lixeira', 'Restaurar', 'Excluir definitivamente'],
    },
    {
      path: '/admin/unopened',
      shows: 'DAS que ninguém abriu',
      actions: [`WhatsApp para ${client.name} sobre DAS que ninguém abriu`, 'Lembretes automáticos'],
    },
    {
      path: '/admin/solicitacoes',
      shows: 'Extrato do banco',
      actions: ['Nova solicitação', `Conferir Extrato do banco de ${client.name}`],
    },
    {
      path: '/admin/solicitacoes?visao=recebidos',
      shows: 'extrato.pdf',
      actions: ['Excluir extrato.pdf', 'Arquivar extrato.pdf'],
    },
    {
      path: '/admin/solicitacoes?visao=mes',
      shows: client.name,
      open: (page) => page.getByRole('button', { name: 'Extrato do banco de' }).click(),
      actions: ['Recusar', 'Aceitar e arquivar', 'Excluir solicitação'],
    },
    {
      path: '/admin/tickets',
      shows: 'Dúvida sobre leitura',
      open: (page) => page.getByRole('checkbox', { name: 'Selecionar Dúvida sobre leitura' }).check(),
      actions: ['Respostas prontas', 'Ações de Dúvida sobre leitura', 'Fechar'],
    },
    {
      path: `/admin/tickets/${ticket}`,
      shows: 'Responder até',
      actions: ['Assumir', 'Enviar resposta', 'Responsável', 'Prioridade'],
    },
  ];
}

test('reader › is offered none of the changes that an administrator is offered', async ({
  page,
  app,
  browser,
}) => {
  // A walk of two people over all screens.
  test.slow();
  const client = await app.newClient('Serralheria Somente Leitura Ltda');
  const screens = await seedWork(app, client);
  const reader = await createColleague(app, 'Rita', { office_role: 'reader' });
  const context = await browser.newContext({ baseURL: app.portaria.url });
  const rita = await context.newPage();
  await signInAsAdmin(page);
  await signInAsAdmin(rita, reader);
  for (const { path, shows, open, actions } of screens) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByText(shows).first()).toBeVisible();
      await open?.(page);
      for (const action of actions) await expect(named(page, action)).not.toHaveCount(0);

      await rita.goto(path);
      await expect(rita).toHaveURL(path);
      await expect(rita.getByText(shows).first()).toBeVisible();
      await rita.waitForLoadState('networkidle');
      await open?.(rita);
      expect.soft(await changesOn(rita), path).toEqual([]);
      for (const action of actions) await expect.soft(named(rita, action), action).toHaveCount(0);
    });
  }
  await context.close();
  await deletePerson(app, client);
  await deletePerson(app, reader);
});

test('reader › finds no change in the palette, the shortcuts and the pages for changes', async ({
  page,
  app,
}) => {
  const reader = await createColleague(app, 'Renata', { office_role: 'reader' });
  await signInAsAdmin(page, reader);
  await expect(page.getByRole('heading', { name: 'Precisa de atenção' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Ações Rápidas' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Buscar', exact: true }).click();
  const palette = page.getByRole('dialog', { name: 'Buscar no portal' });
  await expect(palette.getByRole('option', { name: 'Atalhos de teclado' })).toBeVisible();
  for (const action of ['Novo Cliente', 'Novo Documento', 'Caixa de entrada', 'Novo Template'])
    await expect(palette.getByRole('option', { name: action })).toHaveCount(0);
  await palette.getByRole('option', { name: 'Atalhos de teclado' }).click();
  const shortcuts = page.getByRole('dialog', { name: 'Atalhos de teclado' });
  await expect(shortcuts.getByText('Nas listas')).toBeVisible();
  await expect(shortcuts.getByText('Na página de um ticket')).toHaveCount(0);
  for (const closed of [
    '/admin/documents/bulk',
    '/admin/documents/descartar',
    '/admin/solicitacoes/nova',
    '/admin/tickets/respostas-prontas',
  ]) {
    await page.goto(closed);
    await expect(page).toHaveURL('/admin/dashboard');
  }
  // The log of mails is for all staff, its way back is not.
  await page.goto('/admin/email-log');
  await expect(page.getByRole('link', { name: 'Voltar ao Dashboard' })).toBeVisible();
  await deletePerson(app, reader);
});

test('colleague with assigned clients › reads the rules of the inbox, and asks for documents', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Oficina das Regras');
  const colleague = await createColleague(app, 'Otto', {
    office_role: 'employee',
    assigned_clients_only: true,
  });
  const assignment = { client_id: client.id, staff_id: colleague.id };
  await expectOk(app.admin.from('client_assignments').insert(assignment));
  const rule = { kind: 'alias' as const, pattern: 'oficina regras', client_id: client.id };
  await expectOk(serviceClient(app.portaria).from('inbox_rules').insert(rule));
  await signInAsAdmin(page, colleague);
  await page.goto('/admin/documents/bulk');
  await page.getByRole('button', { name: 'Regras', exact: true }).click();
  const rules = page.getByRole('dialog', { name: 'Regras da caixa de entrada' });
  await expect(rules.getByText('Arquivos “oficina regras” → Oficina das Regras')).toBeVisible();
  await expect(rules.getByRole('button', { name: 'Excluir' })).toHaveCount(0);

  await page.goto('/admin/solicitacoes/nova');
  await page.getByRole('combobox', { name: 'Clientes' }).fill(client.name);
  await page.getByRole('option', { name: client.name }).click();
  await page.getByRole('textbox', { name: 'Item 1' }).fill('Extrato');
  await page.getByRole('button', { name: 'Solicitar' }).click();
  await expect(page.getByText('Solicitação criada')).toBeVisible();
  await deletePerson(app, client);
  await deletePerson(app, colleague);
});
