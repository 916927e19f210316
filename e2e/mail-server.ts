// A mail server that is not ours (aiosmtpd), whose mails are read by a parser that is not ours either (Python's).

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** A message as its recipient's program would find it. */
export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string;
  readonly parts: readonly Part[];
  /** What the parser did not like. */
  readonly defects: readonly string[];
}

interface Part {
  readonly type: string;
  /** Of what is text. */
  readonly text: string | null;
  /** Of anything else, in base64. */
  readonly bytes: string | null;
  /** The name by which the HTML shows it. */
  readonly id: string | null;
}

export interface MailServer {
  /** The portal's settings that have its mails go there. */
  readonly settings: Readonly<Record<string, string>>;
  /** Waits for the first mail of a subject. */
  mail(subject: string): Promise<Received>;
  /** Waits until so many mails of a subject have come, and gives them. */
  mails(subject: string, count: number, within?: number): Promise<Received[]>;
  stop(): Promise<void>;
}

const LOGIN = 'portal%40escritorio.com.br:senha%20do%20servidor';
const PROMPTLY = 5_000;
const POLL_EVERY = 20;

export async function startMailServer(): Promise<MailServer> {
  const script = join(import.meta.dirname, 'mail-server.py');
  const server = spawn(process.env['PORTARIA_PYTHON'] ?? 'python3', [script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout });
  const received: Received[] = [];
  const [greeting] = await once(lines, 'line', { signal: AbortSignal.timeout(20_000) });
  const { port }: { port: number } = JSON.parse(String(greeting));
  lines.on('line', (line) => received.push(JSON.parse(line)));
  const mails: MailServer['mails'] = async (subject, count, within = PROMPTLY) => {
    const deadline = AbortSignal.timeout(within);
    for (;;) {
      const found = received.filter(({ headers }) => headers['subject'] === subject);
      if (found.length >= count) {
        return found;
      }
      await delay(POLL_EVERY, undefined, { signal: deadline });
    }
  };
  return {
    settings: {
      PORTARIA_SMTP_URL: `smtp://${LOGIN}@127.0.0.1:${port}`,
      PORTARIA_MAIL_FROM: 'Prado Contábil <portal@escritorio.com.br>',
      PORTARIA_MAIL_INTERVAL: '0s',
    },
    mail: async (subject) => {
      const [first] = await mails(subject, 1);
      if (first === undefined) throw new Error(`No mail came about ${subject}.`);
      return first;
    },
    mails,
    stop: () => end(server),
  };
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode === null) {
    const ended = once(server, 'exit');
    server.stdin?.end();
    await ended;
  }
}

/** The text of a message's part. */
export function text({ parts }: Received, type: 'text/plain' | 'text/html'): string {
  return parts.find((part) => part.type === type)?.text ?? '';
}

/** The HTML as a mail program shows it: the pictures that came along are in their places. */
export function shown(mail: Received): string {
  return mail.parts.reduce(
    (html, { type, id, bytes }) =>
      id === null ? html : html.replaceAll(`cid:${id}`, `data:${type};base64,${bytes ?? ''}`),
    text(mail, 'text/html'),
  );
}
