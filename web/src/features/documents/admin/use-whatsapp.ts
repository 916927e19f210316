// Opens WhatsApp with the client's number and a text with the personal link of a document.
import type { Client } from '~/features/clients/api/clients';
import { documentKeys } from '~/features/documents/api/documents';
import { createPersonalLink } from '~/features/documents/api/personal-links';
import { recordWhatsApp } from '~/features/documents/api/unopened';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { getErrorInfo } from '~/lib/api/errors';
import { whatsAppUrl } from '~/lib/phone';
import { paths } from '~/paths';

import { whatsAppText } from './whatsapp-text';

export type WhatsAppDocument = {
  id: string;
  name: string;
  client: Client | null;
  expires_at: string | null;
};

type Message = {
  document: WhatsAppDocument;
  tab: Window | null;
  /** Whether the text says that the document was not opened. */
  isUnopened: boolean;
};

/** Opens WhatsApp in `tab`, which `openTab` returned in the same click, and records the contact. */
export function useWhatsApp() {
  return useApiMutation({
    async mutationFn({ document, tab, isUnopened }: Message) {
      const { id, client } = document;
      try {
        const text = whatsAppText(document, { address: await addressOf(id), isUnopened });
        const url = whatsAppUrl(client?.phone ?? null, text);
        // Without the tab of the click the browser may block this one.
        if (tab) tab.location.replace(url);
        else window.open(url, '_blank', 'noreferrer');
      } catch (error) {
        tab?.close();
        throw error;
      }
      await recordWhatsApp(id);
    },
    invalidates: [documentKeys.all],
    errorToast: { title: 'Erro ao abrir o WhatsApp' },
  });
}

/** Opens a tab during the click, because browsers block tabs that open later. The tab cannot reach this page. */
export function openTab(): Window | null {
  const tab = window.open('', '_blank');
  if (tab) tab.opener = null;
  return tab;
}

/** The personal link of a document, or its page behind the sign-in if no link may open it. */
async function addressOf(documentId: string): Promise<string> {
  try {
    const { url } = await createPersonalLink(documentId);
    if (url !== null) return url;
  } catch (error) {
    if (getErrorInfo(error).code !== 'no_recipient') throw error;
  }
  return location.origin + paths.document(documentId);
}
