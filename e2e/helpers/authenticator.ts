// Software authenticator: ES256 credentials without attestation (WebAuthn Level 3, sections 6.1 and 6.5).

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** The members of the options that the authenticator reads. */
interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
}

/** A device with one credential, which verifies its user. */
export class Authenticator {
  readonly #origin: string;
  readonly #id = randomBytes(16);
  readonly #privateKey: KeyObject;
  readonly #point: Buffer;
  #userHandle = '';
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#privateKey = privateKey;
    this.#point = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  }

  /** The answer to the options of a registration. */
  create({ challenge, rp, user }: CreationOptions) {
    this.#userHandle = user.id;
    const data = Buffer.concat([
      this.#authenticatorData(rp.id, HAS_CREDENTIAL),
      // AAGUID, and the length of the credential's id.
      Buffer.alloc(16),
      Buffer.from([0, this.#id.length]),
      this.#id,
      this.#coseKey(),
    ]);
    // {"fmt": "none", "attStmt": {}, "authData": data}, in CBOR.
    const attestation = Buffer.concat([
      Buffer.from('\u00a3cfmtdnonegattStmt\u00a0hauthData\u0058', 'latin1'),
      Buffer.from([data.length]),
      data,
    ]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      },
    };
  }

  /** The answer to the options of an authentication. */
  get({ challenge, rpId }: RequestOptions) {
    const data = this.#authenticatorData(rpId);
    const clientData = this.#clientData('webauthn.get', challenge);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#privateKey);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: this.#userHandle,
      },
    };
  }

  #credential() {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }

  #authenticatorData(rpId = '', flags = 0): Buffer {
    this.#counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.from([USER_PRESENT | USER_VERIFIED | flags]), counter]);
  }

  /** {kty: EC2, alg: ES256, crv: P-256, x, y}, in CBOR (RFC 9053). */
  #coseKey(): Buffer {
    return Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      this.#point.subarray(0, 32),
      Buffer.from('225820', 'hex'),
      this.#point.subarray(32),
    ]);
  }
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
