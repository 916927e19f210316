// Paths of the app: the patterns by audience, and functions that build paths. `routes.tsx` assigns a page to each
// pattern, `app/auth/access-rules.ts` the access rules to each audience.

/** Path patterns of the pages, by audience. */
export const patterns = {
  signIn: {
    login: '/login',
    forgotPassword: '/recuperar-senha',
    signInCode: '/entrar-com-codigo',
    adminLogin: '/admin/login',
  },
  /** Pages for signed-in users and guests. */
  open: {
    updatePassword: '/atualizar-senha',
    confirmEmail: '/confirmar-email',
    setup: '/primeiro-acesso',
    proof: '/verificar/:code',
    personalLink: '/d/:token',
  },
  client: {
    home: '/',
    tickets: '/tickets',
    ticketNew: '/tickets/new',
    ticket: '/tickets/:ticketId',
    documents: '/documents',
    folder: '/documents/:folderId',
    document: '/documents/view/:documentId',
    payments: '/pagamentos',
    calendar: '/calendar',
    requests: '/solicitacoes',
    sendDocument: '/enviar',
    people: '/pessoas',
    profile: '/perfil',
    help: '/ajuda',
    guidePage: '/ajuda/:slug',
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
    adminInbox: '/admin/documents/bulk',
    adminExpiredRetention: '/admin/documents/descartar',
    adminDocumentTrash: '/admin/documents/trash',
    adminDocument: '/admin/documents/view/:documentId',
    adminUnopened: '/admin/unopened',
    adminRequests: '/admin/solicitacoes',
    adminRequestNew: '/admin/solicitacoes/nova',
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
    adminSettings: '/admin/settings',
    adminFirstSteps: '/admin/primeiros-passos',
    adminSystem: '/admin/system',
    adminSecurity: '/admin/security',
    adminHelp: '/admin/ajuda',
    adminGuidePage: '/admin/ajuda/:slug',
    apiDocs: '/docs',
  },
} as const;

const { signIn, open, client, admin } = patterns;

export const paths = {
  login: () => signIn.login,
  forgotPassword: () => signIn.forgotPassword,
  /** The page that mails a link to choose the first password. */
  firstAccess: () => `${signIn.forgotPassword}?primeiro-acesso`,
  signInCode: () => signIn.signInCode,
  adminLogin: () => signIn.adminLogin,
  updatePassword: () => open.updatePassword,
  confirmEmail: () => open.confirmEmail,
  setup: () => open.setup,
  home: () => client.home,
  tickets: () => client.tickets,
  ticketNew: (previousTicketId?: string) =>
    previousTicketId === undefined ? client.ticketNew : `${client.ticketNew}?continua=${previousTicketId}`,
  /** The form with the subject of an updated slip of a document. */
  ticketNewAbout: (documentId: string) => `${client.ticketNew}?documento=${documentId}`,
  ticket: (ticketId: string) => fill(client.ticket, { ticketId }),
  documents: () => client.documents,
  folder: (folderId: string) => fill(client.folder, { folderId }),
  document: (documentId: string) => fill(client.document, { documentId }),
  /** The payments of a year. */
  payments: () => client.payments,
  calendar: (day?: string) => (day === undefined ? client.calendar : `${client.calendar}?data=${day}`),
  requests: () => client.requests,
  sendDocument: () => client.sendDocument,
  people: () => client.people,
  profile: () => client.profile,
  /** The section of the profile with the URL of the calendar feed. */
  calendarLink: () => `${client.profile}#calendario`,
  /** The contents of the guide. */
  help: () => client.help,
  guidePage: (slug: string, section?: string) => withSection(fill(client.guidePage, { slug }), section),
  admin: () => '/admin',
  adminDashboard: () => admin.adminDashboard,
  adminClients: () => admin.adminClients,
  adminClientNew: () => admin.adminClientNew,
  adminClientEdit: (clientId: string) => fill(admin.adminClientEdit, { clientId }),
  adminClient: (clientId: string) => fill(admin.adminClient, { clientId }),
  adminClientImport: () => admin.adminClientImport,
  adminDocuments: () => admin.adminDocuments,
  /** `clientId` preselects a client in the form. */
  adminDocumentUpload: (clientId?: string) =>
    clientId === undefined ? admin.adminDocumentUpload : `${admin.adminDocumentUpload}?cliente=${clientId}`,
  adminInbox: () => admin.adminInbox,
  /** Documents with an expired retention period. */
  adminExpiredRetention: () => admin.adminExpiredRetention,
  /** Deleted documents. */
  adminDocumentTrash: () => admin.adminDocumentTrash,
  adminDocument: (documentId: string) => fill(admin.adminDocument, { documentId }),
  adminUnopened: () => admin.adminUnopened,
  adminRequests: () => admin.adminRequests,
  adminRequestMonth: (month: string) => `${admin.adminRequests}?visao=mes&mes=${month}`,
  /** The files that clients sent without an item. */
  adminReceivedFiles: () => `${admin.adminRequests}?visao=recebidos`,
  adminRequestNew: () => admin.adminRequestNew,
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
  /** The settings of the office. */
  adminSettings: () => admin.adminSettings,
  /** The guided setup of a new office. */
  adminFirstSteps: () => admin.adminFirstSteps,
  adminSystem: () => admin.adminSystem,
  /** MFA of the current user. */
  adminSecurity: () => admin.adminSecurity,
  adminHelp: () => admin.adminHelp,
  adminGuidePage: (slug: string, section?: string) =>
    withSection(fill(admin.adminGuidePage, { slug }), section),
  /** The mails that the current user chose. */
  adminStaffMails: () => `${admin.adminSecurity}#avisos`,
  apiDocs: () => admin.apiDocs,
};

type ParamsOf<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<Rest>
  : Pattern extends `${string}:${infer Name}`
    ? Name
    : never;

function fill<Pattern extends string>(pattern: Pattern, params: Record<ParamsOf<Pattern>, string>): string {
  return pattern.replace(/:(\w+)/g, (_, name: ParamsOf<Pattern>) => encodeURIComponent(params[name]));
}

function withSection(path: string, section: string | undefined): string {
  return section === undefined ? path : `${path}#${section}`;
}
