// Authenticator app for tests: computes codes and enrolls a person.

import { createHmac } from 'node:crypto';

import { createClient } from '@supabase/supabase-js';

import type { Database } from '../../web/src/lib/api/database.ts';
import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { type ApiClient, unwrap } from './api.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The TOTP code of the time step that is the given number of steps from now (RFC 6238, steps of 30 seconds). */
export function totpCode(secret: string, steps = 0): string {
  const bits = Array.from(secret, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE(digest.readUInt8(digest.length - 1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** A signed-in person whose session has passed MFA. */
export interface MfaSession {
  readonly client: ApiClient;
  readonly factorId: string;
  readonly secret: string;
}

export async function enrollMfa(portaria: Portaria, person = ADMIN): Promise<MfaSession> {
  const client = createClient<Database>(portaria.url, portaria.anonKey, {
    auth: { persistSession: false, autoRefreshToken: false, experimental: { recoveryCodes: true } },
  });
  await unwrap(client.auth.signInWithPassword(person));
  const { id, totp } = await unwrap(client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Telefone' }));
  await unwrap(client.auth.mfa.challengeAndVerify({ factorId: id, code: totpCode(totp.secret) }));
  return { client, factorId: id, secret: totp.secret };
}
