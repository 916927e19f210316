// Preview of the notification e-mail for a document.
import { useQuery } from '@tanstack/react-query';
import { Mail, MailX } from 'lucide-react';

import { TextLink } from '~/components/text-link';
import { documentNotificationPreviewQuery } from '~/features/documents/api/notification-preview';
import { settingLabel } from '~/features/email/email-events';
import type { DocumentNotificationInput, RecipientPreview } from '~/lib/api/database';
import { paths } from '~/paths';

type NotificationPreviewProps = { document: DocumentNotificationInput; name: string };

/** States, before a document is saved, whether the client receives an e-mail, and the reason if not. */
export function NotificationPreview({ document, name }: NotificationPreviewProps) {
  const { data = [] } = useQuery(documentNotificationPreviewQuery(document));
  const isComplete = document.client_id !== '' && document.folder_id_supabase !== '';
  const [added, expiry] = data;
  return (
    <p role="status" className="text-muted-foreground text-body flex min-h-6 items-start gap-2 wrap-anywhere">
      {isComplete && added && (
        <>
          {added.count > 0 ? (
            <Mail size={20} aria-hidden className="text-success mt-px" />
          ) : (
            <MailX size={20} aria-hidden className="mt-px" />
          )}
          <span>
            <NotificationSentence answer={added} name={name} />
            {expiry && expiry.count > 0 && ' Do vencimento, recebe um aviso na próxima manhã.'}
          </span>
        </>
      )}
    </p>
  );
}

function NotificationSentence({
  answer: { count, reason, setting },
  name,
}: {
  answer: RecipientPreview;
  name: string;
}) {
  if (count > 0) return <>{name} recebe um e-mail quando o documento for salvo.</>;
  if (reason !== undefined && reason !== 'off') {
    return (
      <>
        {name} não será avisado: {reasons[reason]}.
      </>
    );
  }
  return (
    <>
      {name} não será avisado: “{setting !== null && settingLabel(setting)}” está desligado em{' '}
      <TextLink to={paths.adminEmailConfig()}>Config. Email</TextLink>.
    </>
  );
}

const reasons = {
  muted: 'desligou os avisos de documentos no próprio perfil',
  unreachable: 'este acesso não recebe e-mails',
  no_kind: 'a pasta não tem tipo para notificação',
};
