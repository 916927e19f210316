// All screens with the demo's data, for screenshots and for accessibility checks.

import type { Page } from '@playwright/test';

import type { TicketStatus } from '../../web/src/lib/api/database.ts';
import type { Portaria } from '../fixtures/server.ts';
import { unwrap, signIn, present } from './api.ts';

const PASSWORD = 'portaria-demo';
export const DEMO_ADMIN = { email: 'ana.prado@pradocontabil.com.br', password: PASSWORD };
export const DEMO_CLIENT = { email: 'joao.conceicao@padariaaurora.com.br', password: PASSWORD };

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Action before the check or the screenshot. */
  readonly act?: (page: Page) => Promise<void>;
}

export interface Screens {
  readonly guest: readonly Screen[];
  readonly client: readonly Screen[];
  readonly admin: readonly Screen[];
}

export async function listScreens(demo: Portaria): Promise<Screens> {
  const client = await signIn(demo, DEMO_CLIENT);
  const { data: account } = await client.auth.getUser();
  const document = await unwrap(
    client
      .from('documents')
      .select('id, folder_id_supabase, expires_at')
      .eq('type', 'pdf')
      .order('expires_at')
      .limit(1)
      .single(),
  );
  const findDocument = async (type: string) => {
    const query = client.from('documents').select('id').eq('type', type).order('created_at');
    return (await unwrap(query.limit(1).single())).id;
  };
  const findTicket = async (status: TicketStatus) => {
    const query = client.from('tickets').select('id').eq('status', status).order('created_at');
    return (await unwrap(query.limit(1).single())).id;
  };
  const findSlip = async (isPaid: boolean) => {
    const slips = client.from('documents').select('id, document_payments()').not('pix_code', 'is', null);
    const chosen = isPaid ? slips.not('document_payments', 'is', null) : slips.is('document_payments', null);
    return (await unwrap(chosen.order('expires_at').limit(1).single())).id;
  };
  const [answered, closed] = [await findTicket('in-progress'), await findTicket('closed')];
  return {
    guest: [
      { name: 'login', path: '/login' },
      { name: 'admin-login', path: '/admin/login' },
      { name: 'forgot-password', path: '/recuperar-senha' },
      { name: 'update-password', path: '/atualizar-senha' },
      { name: 'confirm-email', path: '/confirmar-email#token_hash=x&type=email_change' },
      { name: 'setup', path: '/primeiro-acesso' },
    ],
    client: [
      { name: 'client-home', path: '/' },
      { name: 'client-documents', path: '/documents' },
      { name: 'client-folder', path: `/documents/${document.folder_id_supabase}` },
      { name: 'client-document', path: `/documents/view/${document.id}` },
      { name: 'client-document-to-pay', path: `/documents/view/${await findSlip(false)}` },
      { name: 'client-document-paid', path: `/documents/view/${await findSlip(true)}` },
      { name: 'client-document-missing', path: '/documents/view/nenhum' },
      { name: 'client-document-sheet', path: `/documents/view/${await findDocument('xlsx')}` },
      { name: 'client-document-text', path: `/documents/view/${await findDocument('docx')}` },
      { name: 'client-calendar', path: '/calendar' },
      { name: 'client-calendar-day', path: `/calendar?data=${present(document.expires_at).slice(0, 10)}` },
      { name: 'client-payments', path: '/pagamentos' },
      { name: 'client-requests', path: '/solicitacoes' },
      { name: 'client-send-document', path: '/enviar' },
      { name: 'client-people', path: '/pessoas' },
      { name: 'client-profile', path: '/perfil' },
      { name: 'client-help', path: '/ajuda' },
      { name: 'client-guide', path: '/ajuda/primeiros-passos' },
      { name: 'client-tickets', path: '/tickets' },
      { name: 'client-ticket', path: `/tickets/${answered}` },
      { name: 'client-ticket-closed', path: `/tickets/${closed}` },
      { name: 'client-ticket-missing', path: '/tickets/nenhum' },
      { name: 'client-ticket-new', path: '/tickets/new' },
      {
        name: 'client-ticket-new-refused',
        path: '/tickets/new',
        async act(page) {
          await page.getByRole('button', { name: 'Enviar Ticket' }).click();
          await page.getByText('Por favor, corrija os erros antes de enviar').waitFor();
        },
      },
    ],
    admin: [
      { name: 'admin-dashboard', path: '/admin/dashboard' },
      { name: 'admin-clients', path: '/admin/clients' },
      { name: 'admin-first-steps', path: '/admin/primeiros-passos' },
      { name: 'admin-security', path: '/admin/security' },
      { name: 'admin-client-new', path: '/admin/clients/new' },
      { name: 'admin-client-edit', path: `/admin/clients/edit/${account.user?.id}` },
      { name: 'admin-client', path: `/admin/clients/view/${account.user?.id}` },
      { name: 'admin-client-import', path: '/admin/clients/import' },
      { name: 'admin-documents', path: '/admin/documents' },
      { name: 'admin-unopened', path: '/admin/unopened' },
      { name: 'admin-requests', path: '/admin/solicitacoes' },
      { name: 'admin-requests-month', path: '/admin/solicitacoes?visao=mes' },
      { name: 'admin-request-new', path: '/admin/solicitacoes/nova' },
      { name: 'admin-expired-retention', path: '/admin/documents/descartar' },
      { name: 'admin-document-trash', path: '/admin/documents/trash' },
      { name: 'admin-document-upload', path: '/admin/documents/upload' },
      { name: 'admin-document-bulk', path: '/admin/documents/bulk' },
      { name: 'admin-document', path: `/admin/documents/view/${document.id}` },
      { name: 'admin-email-config', path: '/admin/email-config' },
      { name: 'admin-email-log', path: '/admin/email-log' },
      { name: 'admin-email-templates', path: '/admin/email-templates' },
      {
        name: 'admin-email-template-new',
        path: '/admin/email-templates/new',
        act: (page) => page.getByRole('toolbar', { name: 'Formatação' }).waitFor(),
      },
      { name: 'admin-tickets', path: '/admin/tickets' },
      { name: 'admin-ticket', path: `/admin/tickets/${answered}` },
      { name: 'admin-ticket-missing', path: '/admin/tickets/nenhum' },
      { name: 'admin-saved-replies', path: '/admin/tickets/respostas-prontas' },
      { name: 'admin-folders', path: '/admin/folders' },
      { name: 'admin-activity', path: '/admin/activity' },
      { name: 'admin-activity-none', path: '/admin/activity?de=2020-01-01&ate=2020-01-02' },
      { name: 'admin-administrators', path: '/admin/administrators' },
      { name: 'admin-settings', path: '/admin/settings' },
      { name: 'admin-system', path: '/admin/system' },
      { name: 'admin-help', path: '/admin/ajuda' },
      { name: 'admin-guide', path: '/admin/ajuda/trabalhar-nas-listas' },
    ],
  };
}
