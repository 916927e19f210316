// The server of a file of tests, on the database that its project names.

import { type Portaria, startPortaria } from '../server.ts';

export function openServer(settings: Record<string, string> = {}): Promise<Portaria> {
  return startPortaria({ postgres: process.env['WIRE_POSTGRES'], settings });
}
