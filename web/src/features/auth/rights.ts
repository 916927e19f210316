// The rights of members of the staff. The server decides; screens hide what it would refuse.
import { matchPath } from 'react-router';

import { patterns } from '~/paths';

import { type User, useUser } from './session';

export type Rights = {
  /** Whether the person changes the office itself: people, settings, folders, templates. */
  isAdministrator: boolean;
  /** Whether the person may change anything. */
  mayWrite: boolean;
  /** Whether the person may change what the inbox learned, which is about all clients. */
  mayWriteInboxRules: boolean;
};

/** The rights of a user of the back office. Without a role the person is an administrator. */
export function rightsOf({ isAdmin, officeRole, assignedClientsOnly = false }: User): Rights {
  const isAdministrator = isAdmin && officeRole === undefined;
  const mayWrite = isAdministrator || officeRole === 'employee';
  return {
    isAdministrator,
    mayWrite,
    mayWriteInboxRules: isAdministrator || (mayWrite && !assignedClientsOnly),
  };
}

export function useRights(): Rights {
  return rightsOf(useUser());
}

/** Pages that only administrators use. */
const administratorPages: readonly string[] = [
  patterns.admin.adminClientNew,
  patterns.admin.adminClientEdit,
  patterns.admin.adminClientImport,
  patterns.admin.adminEmailConfig,
  patterns.admin.adminEmailTemplates,
  patterns.admin.adminEmailTemplateNew,
  patterns.admin.adminEmailTemplateEdit,
  patterns.admin.adminFolders,
  patterns.admin.adminActivity,
  patterns.admin.adminAdministrators,
  patterns.admin.adminSettings,
  patterns.admin.adminFirstSteps,
  patterns.admin.adminSystem,
];
/** Pages that only change something. */
const writerPages: readonly string[] = [
  patterns.admin.adminDocumentUpload,
  patterns.admin.adminInbox,
  patterns.admin.adminExpiredRetention,
  patterns.admin.adminRequestNew,
  patterns.admin.adminSavedReplies,
];

/** Whether a member of the staff has a use for a page of the back office. The address may have a query. */
export function mayOpen({ isAdministrator, mayWrite }: Rights, address: string): boolean {
  const [pathname = ''] = address.split('?');
  const has = (pages: readonly string[]) => pages.some((pattern) => matchPath(pattern, pathname) !== null);
  return (isAdministrator || !has(administratorPages)) && (mayWrite || !has(writerPages));
}
