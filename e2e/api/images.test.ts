// Transformed images with the official client: download, public and signed addresses.

import { crc32, deflateSync } from 'node:zlib';

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { type ApiClient, anonClient, serviceClient, unwrap } from '../helpers/api.ts';
import { openServer } from './server.ts';

const WIDTH = 40;
const HEIGHT = 20;

describe('image', () => {
  let portaria: Portaria;
  let service: ApiClient;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    service = serviceClient(portaria);
    await unwrap(service.storage.createBucket('fotos', { public: true }));
    await unwrap(
      service.storage.from('fotos').upload('a.png', png(WIDTH, HEIGHT), { contentType: 'image/png' }),
    );
  });

  test('is reduced by download', async () => {
    const transform = { width: 10, height: 10, resize: 'contain', quality: 60, format: 'origin' } as const;
    const image = await unwrap(service.storage.from('fotos').download('a.png', { transform }));
    expect(image.type).toBe('image/png');
    expect(sizeOf(await image.bytes())).toEqual([10, 5]);
  });

  test('is reduced at its public address', async () => {
    const { data } = anonClient(portaria)
      .storage.from('fotos')
      .getPublicUrl('a.png', { transform: { width: 8, height: 8 } });
    expect(sizeOf(await read(data.publicUrl))).toEqual([8, 8]);
  });

  test('is reduced at a signed address, which does not open the original', async () => {
    const files = service.storage.from('fotos');
    const { signedUrl } = await unwrap(files.createSignedUrl('a.png', 60, { transform: { width: 20 } }));
    expect(sizeOf(await read(signedUrl))).toEqual([20, 10]);
    const original = await fetch(signedUrl.replace('/render/image/sign/', '/object/sign/'));
    expect(await original.json()).toMatchObject({ code: 'InvalidSignature' });
  });

  test('with an unknown mode is refused', async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mode that the types refuse.
    const transform = { width: 10, resize: 'stretch' as 'cover' };
    const { error } = await service.storage.from('fotos').download('a.png', { transform });
    expect(error).toMatchObject({ status: 400 });
  });
});

async function read(url: string): Promise<Uint8Array> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return answer.bytes();
}

/** Width and height in the header of a PNG file. */
function sizeOf(bytes: Uint8Array): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

/** A gray PNG file. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const pixels = deflateSync(
    Buffer.alloc((width + 1) * height, 0x80).map((byte, at) => (at % (width + 1) ? byte : 0)),
  );
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
