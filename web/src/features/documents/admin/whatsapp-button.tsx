// Button that opens WhatsApp with the client's number and a text with the personal link of a document.
import { MessageCircle } from 'lucide-react';

import { Button } from '~/ui/button';

import { openTab, useWhatsApp, type WhatsAppDocument } from './use-whatsapp';

type WhatsAppButtonProps = {
  document: WhatsAppDocument;
  /** Without an icon, and with client and document in its name, for the rows of the list of unopened documents. */
  inRow?: boolean;
  className?: string;
};

/** Opens WhatsApp, and records the contact. */
export function WhatsAppButton({ document, inRow = false, className }: WhatsAppButtonProps) {
  const { name, client } = document;
  const opening = useWhatsApp();
  return (
    <Button
      variant="quiet"
      icon={inRow ? undefined : <MessageCircle size={18} aria-hidden />}
      pending={opening.isPending}
      onClick={() => opening.mutate({ document, tab: openTab(), isUnopened: inRow })}
      title={
        (client?.phone ?? null) === null
          ? 'Sem telefone cadastrado: o contato se escolhe no WhatsApp'
          : undefined
      }
      {...(inRow && {
        'aria-label': `WhatsApp para ${client?.fullName ?? client?.email ?? 'N/A'} sobre ${name}`,
      })}
      {...(className && { className })}
    >
      WhatsApp
    </Button>
  );
}
