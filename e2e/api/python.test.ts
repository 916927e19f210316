// The tests of `e2e/python/`: the official Python clients, unmodified, and the files of `packaging/`
// for containers.

import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { openServer } from './server.ts';

const FOLDER = join(import.meta.dirname, '../python');
const TIMEOUT_MS = 120_000;

describe('Python tests', () => {
  let portaria: Portaria;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  test.each(['test_auth', 'test_containers', 'test_kubernetes', 'test_storage', 'test_tables'])(
    '%s passes',
    async (module) => {
      const report = await runPython(['-W', 'ignore', '-m', 'unittest', module], {
        PORTAL_URL: portaria.url,
        PORTAL_ANON_KEY: portaria.anonKey,
        PORTAL_SERVICE_KEY: portaria.serviceRoleKey,
        PORTAL_ADMIN_EMAIL: ADMIN.email,
        PORTAL_ADMIN_PASSWORD: ADMIN.password,
      });
      expect(report).toMatch(/^OK$/m);
    },
    TIMEOUT_MS,
  );
});

/** Runs Python in the folder of the tests. Returns the report of unittest, also of a failed run. */
function runPython(args: string[], environment: Record<string, string>): Promise<string> {
  const options = {
    cwd: FOLDER,
    env: { ...process.env, ...environment, PYTHONDONTWRITEBYTECODE: '1' },
    timeout: TIMEOUT_MS,
  };
  return new Promise((done) => {
    execFile(process.env['TEST_PYTHON'] ?? 'python3', args, options, (_error, _output, report) =>
      done(report),
    );
  });
}
