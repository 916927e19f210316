// Requests of the devices that show the person's notifications, and of the topics that they show.
import { queryOptions } from '@tanstack/react-query';

import { accountApi } from '~/lib/api/account-api';

export type PushTopic =
  | 'documents'
  | 'requests'
  | 'tickets'
  | 'received_files'
  | 'approvals'
  | 'payments'
  | 'reminders';

export type PushDevice = {
  id: string;
  device_name: string;
  created_at: string;
  last_used_at: string | null;
  /** SHA-256 of the endpoint in hexadecimal, by which a browser recognizes its own subscription. */
  endpoint_hash: string;
};

export type PushSettings = { public_key: string; devices: PushDevice[]; muted_topics: PushTopic[] };

export const pushKeys = { all: ['push'] as const };

export function pushSettingsQuery() {
  return queryOptions({
    queryKey: pushKeys.all,
    async queryFn({ signal }): Promise<PushSettings> {
      return (await accountApi('push', { signal })).json();
    },
  });
}

/** Adds the subscription of this browser. */
export async function addPushDevice(subscription: PushSubscriptionJSON, deviceName: string): Promise<void> {
  const { endpoint, keys } = subscription;
  const body = JSON.stringify({ endpoint, keys, device_name: deviceName });
  await accountApi('push/devices', { method: 'POST', body });
}

export async function removePushDevice(id: string): Promise<void> {
  await accountApi(`push/devices/${id}`, { method: 'DELETE' });
}

export async function setPushTopic({ topic, wanted }: { topic: PushTopic; wanted: boolean }): Promise<void> {
  await accountApi(`push/topics/${topic}`, { method: wanted ? 'PUT' : 'DELETE' });
}
