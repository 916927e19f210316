// A fresh Portaria for a test: the real binary on a free port, with a data folder and a database of its own.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

const BINARY = resolve(
  process.env['PORTARIA_BIN'] ?? join(import.meta.dirname, '../target/release/portaria'),
);
const READY_WITHIN = 30_000;
const POLL_EVERY = 50;
const OUTBOX = 'SELECT event, recipient, html FROM outbox ORDER BY created_at, id';

export const ADMIN = { email: 'helena.duarte@escritorio.com.br', password: 'senha da Helena' };

export interface Portaria {
  readonly url: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  /** The mails that wait to be sent, oldest first. */
  mails(): Promise<Mail[]>;
  /** Changes what is stored as time would, on SQLite. */
  age(statement: string): void;
  /** A fault of the server, on SQLite: while something is done, one of its tables or views is not there. */
  without(table: string, act: () => Promise<void>): Promise<void>;
  /** A fault that a test brings about, and that the server is right to complain of. */
  mayComplainOf(fault: string): void;
  /** Ends the server as an operator would, until it is started again at the same address. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Ends the server as an operator would, and leaves nothing of it behind. */
  stop(): Promise<void>;
}

export interface Mail {
  readonly event: string;
  readonly recipient: string;
  readonly html: string;
}

interface Options {
  /** A superuser's connection to the PostgreSQL where the server gets a database; SQLite without it. */
  readonly postgres?: string | undefined;
  /** Starts with the demo's people and documents instead of a lone administrator. */
  readonly demo?: boolean;
  /** Further settings, by the names that they have in the environment. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startPortaria({ postgres, demo = false, settings }: Options = {}): Promise<Portaria> {
  const folder = await mkdtemp(join(tmpdir(), 'portaria-e2e-'));
  const database = postgres === undefined ? undefined : await createDatabase(postgres);
  const clear = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    await database?.drop();
  };
  try {
    const portaria = await serve(folder, database?.url, demo, settings);
    const stop = async (): Promise<void> => {
      try {
        await portaria.stop();
      } finally {
        await clear();
      }
    };
    return { ...portaria, stop };
  } catch (error) {
    await clear();
    throw error;
  }
}

async function serve(
  folder: string,
  database: string | undefined,
  demo: boolean,
  settings: Options['settings'],
): Promise<Portaria> {
  const listen = `127.0.0.1:${await freePort()}`;
  const url = `http://${listen}`;
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    PORTARIA_DATA_DIR: folder,
    PORTARIA_LISTEN: listen,
    PORTARIA_SITE_URL: url,
    // All the tests' people sign in from one address.
    PORTARIA_RATE_SIGN_IN: '',
    PORTARIA_RATE_ACCOUNT: '',
    PORTARIA_RATE_VERIFY: '',
    ...(database !== undefined && { PORTARIA_DATABASE_URL: database }),
    ...settings,
  };
  const options = { cwd: folder, env: environment };

  if (!demo) {
    await run(['admin', 'add', '--email', ADMIN.email, '--password-stdin'], options, ADMIN.password);
  }
  const keys: { anon_key: string; service_role_key: string } = JSON.parse(await run(['keys'], options));

  const log: Buffer[] = [];
  /** What the server is right to complain of. */
  const faults: string[] = [];
  const launch = (): ChildProcess => {
    const child = spawn(BINARY, demo ? ['serve', '--demo'] : ['serve'], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (chunk: Buffer) => log.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => log.push(chunk));
    return child;
  };
  const isFault = (line: string) =>
    /\bERROR\b|panicked/.test(line) && !faults.some((fault) => line.includes(fault));
  let server = launch();
  const stop = async (): Promise<void> => {
    const code = await end(server);
    const said = Buffer.concat(log).toString();
    if (code !== 0 || said.split('\n').some(isFault)) {
      throw new Error(`The server failed and ended with code ${code}, having said:\n${said}`);
    }
  };
  try {
    await untilReady(url, server);
  } catch (error) {
    await stop();
    throw new Error(`The server did not become ready, having said:\n${Buffer.concat(log).toString()}`, {
      cause: error,
    });
  }
  const up = async (): Promise<void> => {
    server = launch();
    await untilReady(url, server);
  };
  const age = (statement: string): void => {
    const file = new DatabaseSync(join(folder, 'portaria.db'), { timeout: 5_000 });
    try {
      file.exec(statement);
    } finally {
      file.close();
    }
  };
  const without = async (table: string, act: () => Promise<void>): Promise<void> => {
    const made = `SELECT type, sql FROM sqlite_master WHERE name = '${table}'`;
    const [{ type, sql } = { type: '', sql: '' }] = readFile(join(folder, 'portaria.db'), made);
    faults.push(`no such table: ${table}`, `no such table: main.${table}`);
    // What refers to a table goes on doing so, and works again afterwards.
    const rename = (from: string, to: string) =>
      age(`PRAGMA legacy_alter_table = ON; ALTER TABLE ${from} RENAME TO ${to}`);
    if (type === 'view') age(`DROP VIEW ${table}`);
    else rename(table, `${table}_away`);
    try {
      await act();
    } finally {
      if (type === 'view') age(String(sql));
      else rename(`${table}_away`, table);
    }
  };
  const mails = async (): Promise<Mail[]> => {
    const rows =
      database !== undefined ? await query(database, OUTBOX) : readFile(join(folder, 'portaria.db'), OUTBOX);
    return rows.map(({ event, recipient, html }) => ({
      event: String(event),
      recipient: String(recipient),
      html: String(html),
    }));
  };
  return {
    url,
    anonKey: keys.anon_key,
    serviceRoleKey: keys.service_role_key,
    mails,
    age,
    without,
    mayComplainOf: (fault) => faults.push(fault),
    down: stop,
    up,
    stop,
  };
}

/** Runs one of the binary's short commands and gives what it printed. */
function run(words: string[], options: object, input?: string): Promise<string> {
  return new Promise((done, fail) => {
    const command = execFile(BINARY, words, options, (error, stdout, stderr) => {
      if (error) {
        fail(new Error(`portaria ${words.join(' ')} failed: ${stderr}`, { cause: error }));
      } else {
        done(stdout);
      }
    });
    command.stdin?.end(input);
  });
}

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  const deadline = AbortSignal.timeout(READY_WITHIN);
  while (server.exitCode === null) {
    const answer = await fetch(`${url}/ready`, { signal: deadline }).catch(() => undefined);
    if (answer?.ok) {
      return;
    }
    await delay(POLL_EVERY, undefined, { signal: deadline });
  }
  throw new Error('it ended at once');
}

async function end(server: ChildProcess): Promise<number | null> {
  if (server.exitCode === null && server.signalCode === null) {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
  return server.exitCode;
}

async function createDatabase(superuser: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `portaria_e2e_${randomUUID().replaceAll('-', '')}`;
  await query(superuser, `CREATE DATABASE ${name}`);
  const url = new URL(superuser);
  url.pathname = `/${name}`;
  const drop = async (): Promise<void> => {
    await query(superuser, `DROP DATABASE ${name} WITH (FORCE)`);
  };
  return { url: url.href, drop };
}

type Row = Record<string, unknown>;

async function query(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

function readFile(path: string, statement: string): Row[] {
  const file = new DatabaseSync(path, { readOnly: true });
  try {
    return file.prepare(statement).all();
  } finally {
    file.close();
  }
}

export async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  holder.close();
  await once(holder, 'close');
  if (address === null || typeof address === 'string') {
    throw new Error('The free port could not be read.');
  }
  return address.port;
}
