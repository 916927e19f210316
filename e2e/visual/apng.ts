// Animated PNG: joins screenshots of one size to an animation (PNG specification, third edition, 4.9).

import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const BEST_COMPRESSION = { level: 9 };

export interface Frame {
  readonly png: Buffer;
  readonly milliseconds: number;
}

/** An animation that plays once. A program that knows no animations shows the first frame. */
export function joinFrames(frames: readonly Frame[]): Buffer {
  const parsed = frames.map(({ png, milliseconds }) => ({ ...readPng(png), milliseconds }));
  const header = parsed[0]?.header;
  if (!header || parsed.some((frame) => !frame.header.equals(header))) {
    throw new Error('The frames differ in their size or format.');
  }
  const chunks = [chunk('IHDR', header), chunk('acTL', uint32(frames.length, 1))];
  let sequence = 0;
  for (const [at, { pixels, milliseconds }] of parsed.entries()) {
    const delay = Buffer.alloc(6);
    delay.writeUInt16BE(milliseconds, 0);
    delay.writeUInt16BE(1000, 2);
    // The sequence number, width and height, the offset, the delay; the frame replaces the one before.
    chunks.push(chunk('fcTL', Buffer.concat([uint32(sequence), header.subarray(0, 8), uint32(0, 0), delay])));
    sequence += 1;
    if (at === 0) {
      chunks.push(chunk('IDAT', pixels));
    } else {
      chunks.push(chunk('fdAT', Buffer.concat([uint32(sequence), pixels])));
      sequence += 1;
    }
  }
  return Buffer.concat([SIGNATURE, ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

/** The header of a PNG, and its pixels, compressed again as well as possible. */
function readPng(png: Buffer): { header: Buffer; pixels: Buffer } {
  let header: Buffer = Buffer.alloc(0);
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = content;
    if (type === 'IDAT') data.push(content);
    // Length, type and checksum have four bytes each.
    at += length + 12;
  }
  return { header, pixels: deflateSync(inflateSync(Buffer.concat(data)), BEST_COMPRESSION) };
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  return Buffer.concat([uint32(content.length), body, uint32(crc32(body))]);
}

function uint32(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * at);
  return bytes;
}
