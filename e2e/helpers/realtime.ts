// The websocket by which the server announces changes.

import type { Page } from '@playwright/test';

export const REALTIME = /\/realtime\/v1\/websocket/;

/** Refuses each connection, as a proxy without websockets does: the page polls. Call it before the page opens. */
export function refuseWebsockets(page: Page): Promise<void> {
  return page.routeWebSocket(REALTIME, (socket) => void socket.close());
}
