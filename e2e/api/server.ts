// The server of a file of tests, on the database that its project names.

import { type Portaria, startPortaria } from '../fixtures/server.ts';

export function openServer(settings: Record<string, string> = {}): Promise<Portaria> {
  return startPortaria({ postgres: process.env['API_TEST_POSTGRES'], settings });
}
