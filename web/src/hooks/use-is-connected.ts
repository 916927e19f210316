// The connection with the server.
import { useSyncExternalStore } from 'react';

import { serverStatus } from '~/lib/api/server-status';

/** Whether the server is within reach, as far as is known. */
export function useIsConnected(): boolean {
  return useSyncExternalStore(serverStatus.subscribe, serverStatus.get) === 'up';
}
