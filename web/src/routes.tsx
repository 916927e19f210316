// The routes of the app. A page is a module that exports `Component` and, if it needs data, a `loader` that prefetches
// it. Each page is a separate chunk. An error boundary inside each layout keeps
// the navigation when a page fails.
import type { RouteObject } from 'react-router';

import { authMiddleware } from '~/app/auth/auth-middleware';
import { BootScreen } from '~/app/layouts/boot-screen';
import { AuthErrorPage, ErrorPage, LayoutErrorPage } from '~/app/layouts/error-page';
import { RootLayout } from '~/app/layouts/root-layout';

import { patterns } from './paths';

const { signIn, open, client, admin } = patterns;

export const routes: RouteObject[] = [
  {
    Component: RootLayout,
    HydrateFallback: BootScreen,
    ErrorBoundary: ErrorPage,
    middleware: [authMiddleware],
    children: [
      {
        ErrorBoundary: AuthErrorPage,
        children: [
          { path: signIn.login, lazy: () => import('~/features/auth/portal-sign-in-page') },
          { path: signIn.forgotPassword, lazy: () => import('~/features/auth/forgot-password-page') },
          { path: signIn.signInCode, lazy: () => import('~/features/auth/sign-in-code-page') },
          { path: signIn.adminLogin, lazy: () => import('~/features/auth/admin-sign-in-page') },
          { path: open.updatePassword, lazy: () => import('~/features/auth/reset-password-page') },
          { path: open.confirmEmail, lazy: () => import('~/features/auth/confirm-email-page') },
          { path: open.setup, lazy: () => import('~/features/auth/setup-page') },
          { path: open.proof, lazy: () => import('~/features/documents/proof/proof-page') },
          { path: open.personalLink, lazy: () => import('~/features/documents/link/personal-link-page') },
        ],
      },
      {
        lazy: () => import('~/app/layouts/portal-layout'),
        children: [
          {
            ErrorBoundary: LayoutErrorPage,
            children: [
              { path: client.home, lazy: () => import('~/features/dashboard/portal/home-page') },
              { path: client.tickets, lazy: () => import('~/features/tickets/portal/tickets-page') },
              { path: client.ticketNew, lazy: () => import('~/features/tickets/portal/ticket-create-page') },
              { path: client.ticket, lazy: () => import('~/features/tickets/portal/ticket-page') },
              { path: client.documents, lazy: () => import('~/features/folders/portal/folders-page') },
              { path: client.folder, lazy: () => import('~/features/folders/portal/folder-page') },
              { path: client.document, lazy: () => import('~/features/documents/portal/document-page') },
              { path: client.payments, lazy: () => import('~/features/documents/portal/payments-page') },
              { path: client.calendar, lazy: () => import('~/features/calendar/portal/calendar-page') },
              { path: client.requests, lazy: () => import('~/features/requests/portal/requests-page') },
              {
                path: client.sendDocument,
                lazy: () => import('~/features/requests/portal/send-document-page'),
              },
              { path: client.people, lazy: () => import('~/features/members/portal/people-page') },
              { path: client.profile, lazy: () => import('~/features/profile/portal/profile-page') },
              { path: client.help, lazy: () => import('~/features/help/portal/help-page') },
              { path: client.guidePage, lazy: () => import('~/features/help/portal/guide-page') },
            ],
          },
        ],
      },
      {
        lazy: () => import('~/app/layouts/admin-layout'),
        middleware: [
          async (args, next) => (await import('~/app/auth/admin-pages')).requireAllowedPage(args, next),
        ],
        children: [
          {
            ErrorBoundary: LayoutErrorPage,
            children: [
              { path: admin.adminDashboard, lazy: () => import('~/features/dashboard/admin/dashboard-page') },
              { path: admin.adminClients, lazy: () => import('~/features/clients/admin/clients-page') },
              {
                path: admin.adminClientNew,
                lazy: () => import('~/features/clients/admin/client-create-page'),
              },
              {
                path: admin.adminClientEdit,
                lazy: () => import('~/features/clients/admin/client-edit-page'),
              },
              { path: admin.adminClient, lazy: () => import('~/features/clients/admin/client-page') },
              {
                path: admin.adminClientImport,
                lazy: () => import('~/features/clients/admin/import/client-import-page'),
              },
              { path: admin.adminDocuments, lazy: () => import('~/features/documents/admin/documents-page') },
              {
                path: admin.adminDocumentUpload,
                lazy: () => import('~/features/documents/admin/upload/upload-page'),
              },
              {
                path: admin.adminInbox,
                lazy: () => import('~/features/inbox/admin/inbox-page'),
              },
              {
                path: admin.adminExpiredRetention,
                lazy: () => import('~/features/documents/admin/expired-retention-page'),
              },
              {
                path: admin.adminDocumentTrash,
                lazy: () => import('~/features/documents/admin/trash/trash-page'),
              },
              { path: admin.adminDocument, lazy: () => import('~/features/documents/admin/document-page') },
              {
                path: admin.adminUnopened,
                lazy: () => import('~/features/documents/admin/unopened/unopened-page'),
              },
              { path: admin.adminRequests, lazy: () => import('~/features/requests/admin/requests-page') },
              {
                path: admin.adminRequestNew,
                lazy: () => import('~/features/requests/admin/request-create-page'),
              },
              {
                path: admin.adminEmailConfig,
                lazy: () => import('~/features/email/admin/settings/email-settings-page'),
              },
              { path: admin.adminEmailLog, lazy: () => import('~/features/email/admin/log/email-log-page') },
              {
                path: admin.adminEmailTemplates,
                lazy: () => import('~/features/email/admin/templates/templates-page'),
              },
              {
                path: admin.adminEmailTemplateNew,
                lazy: () => import('~/features/email/admin/templates/template-create-page'),
              },
              {
                path: admin.adminEmailTemplateEdit,
                lazy: () => import('~/features/email/admin/templates/template-edit-page'),
              },
              { path: admin.adminTickets, lazy: () => import('~/features/tickets/admin/tickets-page') },
              {
                path: admin.adminSavedReplies,
                lazy: () => import('~/features/tickets/admin/saved-replies/saved-replies-page'),
              },
              { path: admin.adminTicket, lazy: () => import('~/features/tickets/admin/ticket-page') },
              { path: admin.adminFolders, lazy: () => import('~/features/folders/admin/folders-page') },
              { path: admin.adminActivity, lazy: () => import('~/features/activity/admin/activity-page') },
              { path: admin.adminAdministrators, lazy: () => import('~/features/staff/admin/staff-page') },
              { path: admin.adminSettings, lazy: () => import('~/features/office/admin/settings-page') },
              {
                path: admin.adminFirstSteps,
                lazy: () => import('~/features/first-steps/admin/first-steps-page'),
              },
              { path: admin.adminSystem, lazy: () => import('~/features/system/admin/system-page') },
              { path: admin.adminSecurity, lazy: () => import('~/features/auth/admin/security-page') },
              { path: admin.adminHelp, lazy: () => import('~/features/help/admin/help-page') },
              { path: admin.adminGuidePage, lazy: () => import('~/features/help/admin/guide-page') },
              { path: admin.apiDocs, lazy: () => import('~/features/api-docs/admin/api-docs-page') },
            ],
          },
        ],
      },
      // The auth middleware redirects unknown paths. Without this route it would not run for them.
      { path: '*', Component: () => null },
    ],
  },
];
