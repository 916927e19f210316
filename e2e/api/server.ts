// Starts the server of a test file on the database of the vitest project.

import { type Portaria, startPortaria } from '../fixtures/server.ts';

export function openServer(settings: Record<string, string> = {}, host = '127.0.0.1'): Promise<Portaria> {
  return startPortaria({ postgres: process.env['API_TEST_POSTGRES'], settings, host });
}
