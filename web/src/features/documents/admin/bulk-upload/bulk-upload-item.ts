// A file of a bulk upload, and the client to whom it goes.
import type { Client } from '~/features/clients/api/clients';

import type { FileIdentity } from '../recognition/identify-file';
import { type ForeignTaxId, recognize } from '../recognition/recognize';

/** Upload state of a file. */
export type UploadState =
  | { step: 'waiting' }
  | { step: 'sending'; progress: number }
  | { step: 'sent'; client: Client }
  | { step: 'failed'; reason: string };

export type BulkUploadItem = {
  id: string;
  file: File;
  name: string;
  /** Message for a file that is too large or empty. Such a file is not uploaded. */
  validationError: string | undefined;
  /** The clients that the file names. */
  identity: FileIdentity | 'checking' | 'failed';
  /** A person's decision about a file that does not name the chosen client alone. */
  decision: Client | 'left-out' | null;
  state: UploadState;
};

/** Knowledge about the destination of a file. */
export type Destination =
  | { kind: 'client'; client: Client }
  | { kind: 'left-out' }
  /** The clients that the file names are not known, or no client is chosen. */
  | { kind: 'unknown' }
  /** The file names no one. One confirmation covers all such files. */
  | { kind: 'unconfirmed' }
  /** The file names somebody else. It needs its own decision. */
  | { kind: 'undecided' };

/** The destination of a file. Only the kind `client` may be uploaded. */
export function findDestination(item: BulkUploadItem, chosen: Client | null): Destination {
  const { identity, decision } = item;
  if (decision === 'left-out') return { kind: 'left-out' };
  if (decision !== null) return { kind: 'client', client: decision };
  if (chosen === null || typeof identity === 'string') return { kind: 'unknown' };
  switch (recognize(identity, chosen).kind) {
    case 'chosen':
      return { kind: 'client', client: chosen };
    case 'none':
      return { kind: 'unconfirmed' };
    case 'other':
      return { kind: 'undecided' };
  }
}

/** The tax ids of somebody else in a file. */
export function findForeignTaxIds({ identity }: BulkUploadItem, chosen: Client): readonly ForeignTaxId[] {
  if (typeof identity === 'string') return [];
  const recognition = recognize(identity, chosen);
  return recognition.kind === 'other' ? recognition.foreign : [];
}

/** Whether the next run uploads the file, once its destination is known. */
export function isPending({ validationError, decision, state: { step } }: BulkUploadItem): boolean {
  return (
    validationError === undefined && decision !== 'left-out' && (step === 'waiting' || step === 'failed')
  );
}

/** The files that the next run uploads, and whose destination has this kind. */
export function pendingOfKind(
  items: readonly BulkUploadItem[],
  chosen: Client | null,
  kind: Destination['kind'],
): BulkUploadItem[] {
  return items.filter((item) => isPending(item) && findDestination(item, chosen).kind === kind);
}

export type ClientCount = { client: Client; count: number };

/** Counts files by client. Files without a client are not counted. */
export function countByClient(clients: readonly (Client | null)[]): ClientCount[] {
  const counts = new Map<string, ClientCount>();
  for (const client of clients) {
    if (client) counts.set(client.id, { client, count: (counts.get(client.id)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

export function clientName({ fullName, email }: Client): string {
  return fullName ?? email;
}

/** The name of the file as it is shown. */
export function shownFileName({ file }: BulkUploadItem): string {
  return file.name.normalize('NFC');
}
