// Reads the data that the first steps depend on.
import { useQuery } from '@tanstack/react-query';

import { clientCountQuery } from '~/features/clients/api/clients';
import { smtpStatusQuery } from '~/features/email/api/log';
import { officeSettingsQuery } from '~/features/office/api';
import { staffQuery } from '~/features/staff/api';
import { queryClient } from '~/lib/api/query-client';

import type { OfficeState } from './steps';

export function useOfficeState(): OfficeState {
  return {
    settings: useQuery(officeSettingsQuery()).data,
    smtp: useQuery(smtpStatusQuery()).data,
    staffCount: useQuery(staffQuery()).data?.length,
    clientCount: useQuery(clientCountQuery()).data,
  };
}

export async function prefetchOfficeState(): Promise<void> {
  await Promise.all([
    queryClient.prefetchQuery(officeSettingsQuery()),
    queryClient.prefetchQuery(smtpStatusQuery()),
    queryClient.prefetchQuery(staffQuery()),
    queryClient.prefetchQuery(clientCountQuery()),
  ]);
}
