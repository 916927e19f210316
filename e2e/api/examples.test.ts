// The scripts of `examples/`, as a reader runs them.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { type Seed, seedOffice, unwrap } from '../helpers/api.ts';
import { SAMPLE_PDF_NAME } from '../helpers/pdf.ts';
import { openServer } from './server.ts';

const FOLDER = resolve(import.meta.dirname, '../../examples');

let portaria: Portaria;
let office: Seed;

beforeAll(async () => {
  portaria = await openServer();
  office = await seedOffice(portaria);
  return () => portaria.stop();
});

describe('examples', () => {
  test.for([
    { program: process.execPath, script: 'supabase-js.mjs' },
    { program: process.env['TEST_PYTHON'] ?? 'python3', script: 'supabase-py.py' },
    { program: 'bash', script: 'curl.sh' },
  ])('$script reads, downloads and writes', async ({ program, script }) => {
    const cwd = await mkdtemp(join(tmpdir(), 'portaria-example-'));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const env = {
      PATH: process.env['PATH'],
      PORTAL_URL: portaria.url,
      PORTAL_ANON_KEY: portaria.anonKey,
      PORTAL_EMAIL: office.joao.email,
      PORTAL_PASSWORD: office.joao.password,
    };
    const { stdout, stderr } = await promisify(execFile)(program, [join(FOLDER, script)], { cwd, env });
    expect(stderr).toBe('');
    expect(stdout).toContain(`Signed in as ${office.joao.email}\n`);
    expect(stdout).toContain(`Document: ${SAMPLE_PDF_NAME}, due 2027-04-01T02:59:59`);
    expect(stdout).toContain(`Downloaded ${office.document.bytes.length} bytes\n`);
    expect(stdout).toContain('Ticket: open\n');
    expect(await readFile(join(cwd, 'newest.pdf'))).toEqual(office.document.bytes);
    // A repeated ticket is the same ticket.
    expect(await unwrap(office.admin.from('tickets').select('subject'))).toHaveLength(1);
  });
});
