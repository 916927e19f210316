// Personal links of documents: their administration by staff, and the page of their recipients.
import { queryOptions } from '@tanstack/react-query';

import { documentKeys } from '~/features/documents/api/documents';
import { accountApi } from '~/lib/api/account-api';
import type { Day } from '~/lib/dates';
import { downloadUrl } from '~/lib/files/download-blob';

/** Whether a link opens its document. */
export type LinkState = 'ready' | 'expired' | 'revoked' | 'locked' | 'unavailable';

export type PersonalLink = {
  id: string;
  state: LinkState;
  /** The address, while the link opens its document. */
  url: string | null;
  created_at: string;
  expires_at: string;
  opened_at: string | null;
  wrong_answers: number;
};

/** The question of a link, before its page shows anything. */
export type LinkChallenge = {
  state: LinkState;
  check: 'tax_id' | 'code';
  /** Number of wrong answers until the link is locked. */
  answers_left: number;
};

/** A document after the right answer. */
export type LinkedDocument = {
  name: string;
  type: string;
  size: number | null;
  expires_at: string | null;
  category: string | null;
  amount_cents: number | null;
  payment_line: string | null;
  pix_code: string | null;
  paid_on: Day | null;
  file_name: string;
  /** The address of the file. */
  file: string;
};

const linkPath = (token: string) => `links/${encodeURIComponent(token)}`;

/** The newest links of a document, newest first. */
export function personalLinksQuery(documentId: string) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'personal-links', documentId],
    async queryFn({ signal }): Promise<PersonalLink[]> {
      const response = await accountApi(`documents/${documentId}/links`, { signal });
      const { links }: { links: PersonalLink[] } = await response.json();
      return links;
    },
    meta: { errorToast: { title: 'Erro ao buscar os links pessoais' } },
  });
}

/** Returns the live link of a document, which is created if there is none. */
export async function createPersonalLink(documentId: string): Promise<PersonalLink> {
  const response = await accountApi(`documents/${documentId}/links`, { method: 'POST' });
  return response.json();
}

export async function revokePersonalLink(link: { id: string; documentId: string }): Promise<void> {
  await accountApi(`documents/${link.documentId}/links/${link.id}`, { method: 'DELETE' });
}

/** The question of a link. */
export function linkChallengeQuery(token: string) {
  return queryOptions({
    queryKey: ['personal-link', token],
    async queryFn({ signal }): Promise<LinkChallenge> {
      const response = await accountApi(linkPath(token), { signal });
      return response.json();
    },
  });
}

/** Mails the code that a link asks for. */
export async function sendLinkCode(token: string): Promise<void> {
  await accountApi(`${linkPath(token)}/code`, { method: 'POST' });
}

/** Opens the document of a link. */
export async function openLink({
  token,
  answer,
}: {
  token: string;
  answer: string;
}): Promise<LinkedDocument> {
  const body = JSON.stringify({ answer });
  const response = await accountApi(linkPath(token), { method: 'POST', body });
  const { document }: { document: LinkedDocument } = await response.json();
  return document;
}

/** Content of the file of a link, for the preview. */
export function linkedFileQuery(file: string) {
  return queryOptions({
    queryKey: ['personal-link', 'file', file],
    async queryFn({ signal }): Promise<Blob> {
      const response = await fetch(file, { signal });
      if (!response.ok)
        throw Object.assign(new Error('The file could not be read.'), { status: response.status });
      return response.blob();
    },
    staleTime: 'static',
    gcTime: 60_000,
  });
}

export function downloadLinkedFile(file: string, name: string): void {
  downloadUrl(`${file}?download=${encodeURIComponent(name)}`, name);
}
