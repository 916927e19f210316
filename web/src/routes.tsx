// Every route of the app, on one screen. A screen is a module that exports `Component` and, when it reads
// something, a `loader` that starts reading it. Each is a chunk of its own.
import type { RouteObject } from 'react-router';

import { guard } from '~/app/guard';
import { Boot, Root, RootError } from '~/app/root';
import { patterns } from '~/paths';

const { signIn, open, client, admin } = patterns;

export const routes: RouteObject[] = [
  {
    Component: Root,
    HydrateFallback: Boot,
    ErrorBoundary: RootError,
    middleware: [guard],
    children: [
      { path: signIn.login, lazy: () => import('~/features/auth/client-login') },
      { path: signIn.forgotPassword, lazy: () => import('~/features/auth/forgot-password') },
      { path: signIn.adminLogin, lazy: () => import('~/features/auth/admin-login') },
      { path: open.updatePassword, lazy: () => import('~/features/auth/update-password') },
      { path: open.setup, lazy: () => import('~/features/auth/setup') },
      {
        lazy: () => import('~/app/client-shell'),
        children: [
          { path: client.home, lazy: () => import('~/features/client/home') },
          { path: client.tickets, lazy: () => import('~/features/client/tickets') },
          { path: client.ticketNew, lazy: () => import('~/features/client/ticket-new') },
          { path: client.ticket, lazy: () => import('~/features/client/ticket') },
          { path: client.documents, lazy: () => import('~/features/client/folders') },
          { path: client.folder, lazy: () => import('~/features/client/folder') },
          { path: client.document, lazy: () => import('~/features/client/document') },
          { path: client.calendar, lazy: () => import('~/features/client/calendar') },
          { path: client.profile, lazy: () => import('~/features/client/profile') },
        ],
      },
      {
        lazy: () => import('~/app/admin-shell'),
        children: [
          { path: admin.adminDashboard, lazy: () => import('~/features/admin/dashboard') },
          { path: admin.adminClients, lazy: () => import('~/features/admin/clients') },
          { path: admin.adminClientNew, lazy: () => import('~/features/admin/client-new') },
          { path: admin.adminClientEdit, lazy: () => import('~/features/admin/client-edit') },
          { path: admin.adminClient, lazy: () => import('~/features/admin/client') },
          { path: admin.adminClientImport, lazy: () => import('~/features/admin/client-import') },
          { path: admin.adminDocuments, lazy: () => import('~/features/admin/documents') },
          { path: admin.adminDocumentUpload, lazy: () => import('~/features/admin/document-upload') },
          { path: admin.adminDocumentBulk, lazy: () => import('~/features/admin/document-bulk') },
          { path: admin.adminDocumentsOutlived, lazy: () => import('~/features/admin/documents-outlived') },
          { path: admin.adminDocument, lazy: () => import('~/features/admin/document') },
          { path: admin.adminEmailConfig, lazy: () => import('~/features/admin/email-config') },
          { path: admin.adminEmailLog, lazy: () => import('~/features/admin/email-log') },
          { path: admin.adminEmailTemplates, lazy: () => import('~/features/admin/email-templates') },
          { path: admin.adminEmailTemplateNew, lazy: () => import('~/features/admin/email-template-new') },
          { path: admin.adminEmailTemplateEdit, lazy: () => import('~/features/admin/email-template-edit') },
          { path: admin.adminTickets, lazy: () => import('~/features/admin/tickets') },
          { path: admin.adminSavedReplies, lazy: () => import('~/features/admin/saved-replies') },
          { path: admin.adminTicket, lazy: () => import('~/features/admin/ticket') },
          { path: admin.adminFolders, lazy: () => import('~/features/admin/folders') },
          { path: admin.adminActivity, lazy: () => import('~/features/admin/activity') },
          { path: admin.adminAdministrators, lazy: () => import('~/features/admin/administrators') },
          { path: admin.adminSecurity, lazy: () => import('~/features/admin/security') },
        ],
      },
      // The guard leads away from a path that none of these is; this entry only gives it its turn.
      { path: '*', Component: () => null },
    ],
  },
];
