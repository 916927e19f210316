// The configuration of the server in components that follow its changes.
import { useSyncExternalStore } from 'react';

import { type ServerConfig, serverConfig, subscribeServerConfig } from '~/lib/api/server-config';

export function useServerConfig(): ServerConfig {
  return useSyncExternalStore(subscribeServerConfig, serverConfig);
}
