// Button that opens WhatsApp with the client's number and a text with the personal link of a document.
import { MessageCircle } from 'lucide-react';

import type { Client } from '~/features/clients/api/clients';
import { documentKeys } from '~/features/documents/api/documents';
import { createPersonalLink } from '~/features/documents/api/personal-links';
import { recordWhatsApp } from '~/features/documents/api/unopened';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { getErrorInfo } from '~/lib/api/errors';
import { whatsAppUrl } from '~/lib/phone';
import { paths } from '~/paths';
import { Button } from '~/ui/button';

import { whatsAppText } from './whatsapp-text';

type WhatsAppButtonProps = {
  document: { id: string; name: string; client: Client | null; expires_at: string | null };
  /** Whether the name of the button contains client and document, for lists. */
  named?: boolean;
  className?: string;
};

/** Opens WhatsApp, and records the contact. */
export function WhatsAppButton({ document, named = false, className }: WhatsAppButtonProps) {
  const { id, name, client } = document;
  const phone = client?.phone ?? null;
  const opening = useApiMutation({
    async mutationFn(tab: Window | null) {
      try {
        const url = whatsAppUrl(phone, whatsAppText(document, await addressOf(id)));
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
  return (
    <Button
      variant="quiet"
      icon={<MessageCircle size={18} aria-hidden />}
      pending={opening.isPending}
      onClick={() => opening.mutate(openTab())}
      title={phone === null ? 'Sem telefone cadastrado: o contato se escolhe no WhatsApp' : undefined}
      {...(named && {
        'aria-label': `WhatsApp para ${client?.fullName ?? client?.email ?? 'N/A'} sobre ${name}`,
      })}
      {...(className && { className })}
    >
      WhatsApp
    </Button>
  );
}

/** Opens a tab during the click, because browsers block tabs that open later. The tab cannot reach this page. */
function openTab(): Window | null {
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
