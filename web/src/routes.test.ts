import { matchRoutes, type RouteObject } from 'react-router';
import { expect, test } from 'vitest';

import { paths, patterns } from './paths';
import { routes } from './routes';

const { signIn, open, client, admin } = patterns;
const everyPattern = [signIn, open, client, admin].flatMap((area) => Object.values<string>(area));

const pathsOf = (table: RouteObject[]): string[] =>
  table.flatMap(({ path, children }) => [...(path === undefined ? [] : [path]), ...pathsOf(children ?? [])]);

test('routes match the patterns one to one', () => {
  expect(
    pathsOf(routes)
      .filter((path) => path !== '*')
      .toSorted(),
  ).toEqual(everyPattern.toSorted());
});

test.each([
  [paths.home(), '/'],
  [paths.ticketNew(), '/tickets/new'],
  [paths.ticket('7'), '/tickets/:ticketId'],
  [paths.folder('contratos'), '/documents/:folderId'],
  [paths.folder('a/b?c'), '/documents/:folderId'],
  [paths.document('7'), '/documents/view/:documentId'],
  [paths.calendar(), '/calendar'],
  [paths.profile(), '/perfil'],
  [paths.calendarLink(), '/perfil'],
  [paths.adminClientNew(), '/admin/clients/new'],
  [paths.adminClientEdit('7'), '/admin/clients/edit/:clientId'],
  [paths.adminClient('7'), '/admin/clients/view/:clientId'],
  [paths.adminClientImport(), '/admin/clients/import'],
  [paths.adminDocumentUpload(), '/admin/documents/upload'],
  [paths.adminInbox(), '/admin/documents/bulk'],
  [paths.adminDocument('7'), '/admin/documents/view/:documentId'],
  [paths.adminEmailConfig(), '/admin/email-config'],
  [paths.adminEmailLog('failed'), '/admin/email-log'],
  [paths.adminEmailTemplates(), '/admin/email-templates'],
  [paths.adminEmailTemplateNew(), '/admin/email-templates/new'],
  [paths.adminEmailTemplateEdit('7'), '/admin/email-templates/edit/:templateId'],
  [paths.adminSavedReplies(), '/admin/tickets/respostas-prontas'],
  [paths.adminTicket('7'), '/admin/tickets/:ticketId'],
  [paths.adminFolders(), '/admin/folders'],
  [paths.adminActivity(), '/admin/activity'],
  [paths.adminAdministrators(), '/admin/administrators'],
  [paths.apiDocs(), '/docs'],
])('%s matches %s', (path, pattern) => {
  expect(matchRoutes(routes, path)?.at(-1)?.route.path).toBe(pattern);
});

test('paths.calendar contains the day', () => {
  expect(paths.calendar('2026-11-30')).toBe('/calendar?data=2026-11-30');
});

test('paths.folder escapes the id', () => {
  expect(paths.folder('a/b?c')).toBe('/documents/a%2Fb%3Fc');
});
