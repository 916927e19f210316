// The only place where an address of the app is spelled. `routes.tsx` gives each pattern its screen,
// `app/redirects.ts` gives each group its rule.

export const patterns = {
  signIn: {
    login: '/login',
    forgotPassword: '/recuperar-senha',
    adminLogin: '/admin/login',
  },
  /** Open to anyone, signed in or not. */
  open: {
    updatePassword: '/atualizar-senha',
    setup: '/primeiro-acesso',
  },
  client: {
    home: '/',
    tickets: '/tickets',
    ticketNew: '/tickets/new',
    ticket: '/tickets/:ticketId',
    documents: '/documents',
    folder: '/documents/:folderId',
    document: '/documents/view/:documentId',
    calendar: '/calendar',
    profile: '/perfil',
  },
  admin: {
    adminDashboard: '/admin/dashboard',
    adminClients: '/admin/clients',
    adminClientNew: '/admin/clients/new',
    adminClientEdit: '/admin/clients/edit/:clientId',
    adminClient: '/admin/clients/view/:clientId',
    adminClientImport: '/admin/clients/import',
    adminDocuments: '/admin/documents',
    adminDocumentUpload: '/admin/documents/upload',
    adminDocumentBulk: '/admin/documents/bulk',
    adminDocumentsOutlived: '/admin/documents/descartar',
    adminDocument: '/admin/documents/view/:documentId',
    adminEmailConfig: '/admin/email-config',
    adminEmailLog: '/admin/email-log',
    adminEmailTemplates: '/admin/email-templates',
    adminEmailTemplateNew: '/admin/email-templates/new',
    adminEmailTemplateEdit: '/admin/email-templates/edit/:templateId',
    adminTickets: '/admin/tickets',
    adminSavedReplies: '/admin/tickets/respostas-prontas',
    adminTicket: '/admin/tickets/:ticketId',
    adminFolders: '/admin/folders',
    adminActivity: '/admin/activity',
    adminAdministrators: '/admin/administrators',
    adminSecurity: '/admin/security',
  },
} as const;

const { signIn, open, client, admin } = patterns;

export const paths = {
  login: () => signIn.login,
  forgotPassword: () => signIn.forgotPassword,
  adminLogin: () => signIn.adminLogin,
  updatePassword: () => open.updatePassword,
  setup: () => open.setup,
  home: () => client.home,
  tickets: () => client.tickets,
  ticketNew: (follows?: string) =>
    follows === undefined ? client.ticketNew : `${client.ticketNew}?continua=${follows}`,
  ticket: (ticketId: string) => fill(client.ticket, { ticketId }),
  documents: () => client.documents,
  folder: (folderId: string) => fill(client.folder, { folderId }),
  document: (documentId: string) => fill(client.document, { documentId }),
  calendar: (day?: string) => (day === undefined ? client.calendar : `${client.calendar}?data=${day}`),
  profile: () => client.profile,
  /** The part of the profile where the calendar's address is. */
  calendarLink: () => `${client.profile}#calendario`,
  admin: () => '/admin',
  adminDashboard: () => admin.adminDashboard,
  adminClients: () => admin.adminClients,
  adminClientNew: () => admin.adminClientNew,
  adminClientEdit: (clientId: string) => fill(admin.adminClientEdit, { clientId }),
  adminClient: (clientId: string) => fill(admin.adminClient, { clientId }),
  adminClientImport: () => admin.adminClientImport,
  adminDocuments: () => admin.adminDocuments,
  /** With a client, the form begins with them chosen. */
  adminDocumentUpload: (clientId?: string) =>
    clientId === undefined ? admin.adminDocumentUpload : `${admin.adminDocumentUpload}?cliente=${clientId}`,
  adminDocumentBulk: () => admin.adminDocumentBulk,
  /** Documents whose folders keep them no longer. */
  adminDocumentsOutlived: () => admin.adminDocumentsOutlived,
  adminDocument: (documentId: string) => fill(admin.adminDocument, { documentId }),
  adminEmailConfig: () => admin.adminEmailConfig,
  adminEmailLog: (state?: string) =>
    state === undefined ? admin.adminEmailLog : `${admin.adminEmailLog}?estado=${state}`,
  adminEmailTemplates: () => admin.adminEmailTemplates,
  adminEmailTemplateNew: () => admin.adminEmailTemplateNew,
  adminEmailTemplateEdit: (templateId: string) => fill(admin.adminEmailTemplateEdit, { templateId }),
  adminTickets: () => admin.adminTickets,
  adminSavedReplies: () => admin.adminSavedReplies,
  adminTicket: (ticketId: string) => fill(admin.adminTicket, { ticketId }),
  adminFolders: () => admin.adminFolders,
  adminActivity: () => admin.adminActivity,
  adminAdministrators: () => admin.adminAdministrators,
  /** One's own second step. */
  adminSecurity: () => admin.adminSecurity,
};

type ParamsOf<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<Rest>
  : Pattern extends `${string}:${infer Name}`
    ? Name
    : never;

function fill<Pattern extends string>(pattern: Pattern, params: Record<ParamsOf<Pattern>, string>): string {
  return pattern.replace(/:(\w+)/g, (_, name: ParamsOf<Pattern>) => encodeURIComponent(params[name]));
}
