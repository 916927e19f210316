// Preview of the notification e-mail for a document.
import { useQuery } from '@tanstack/react-query';
import { CircleHelp, Mail, MailX } from 'lucide-react';

import { TextLink } from '~/components/text-link';
import { useRights } from '~/features/auth/rights';
import {
  documentNotificationPreviewQuery,
  missingMailReasons,
} from '~/features/documents/api/notification-preview';
import { settingLabel } from '~/features/email/email-events';
import type { DocumentNotificationInput, RecipientPreview } from '~/lib/api/database';
import { paths } from '~/paths';

type NotificationPreviewProps = {
  document: DocumentNotificationInput;
  name: string;
  /** Number of documents that the client receives. */
  count?: number;
};

/** States, before a document is saved, whether the client receives an e-mail, and the reason if not. */
export function NotificationPreview(props: NotificationPreviewProps) {
  return (
    <div role="status" className="min-h-6">
      <NotificationLine {...props} />
    </div>
  );
}

/** The statement alone, for a live region that contains several of them. It names the client without an answer too. */
export function NotificationLine({ document, name, count = 1 }: NotificationPreviewProps) {
  const { data = [], isLoadingError } = useQuery(documentNotificationPreviewQuery(document));
  const isComplete = document.client_id !== '' && document.folder_id_supabase !== '';
  const [added, expiry] = data;
  if (!isComplete) return null;
  return (
    <p className="text-muted-foreground text-body flex items-start gap-2 wrap-anywhere">
      {!added ? (
        <CircleHelp size={20} aria-hidden className="mt-px shrink-0" />
      ) : added.count > 0 ? (
        <Mail size={20} aria-hidden className="text-success mt-px shrink-0" />
      ) : (
        <MailX size={20} aria-hidden className="mt-px shrink-0" />
      )}
      <span>
        {added ? (
          <NotificationSentence answer={added} name={name} several={count > 1} />
        ) : (
          `${name}: ${isLoadingError ? 'não foi possível saber se recebe e-mail.' : 'conferindo se recebe e-mail…'}`
        )}
        {expiry && expiry.count > 0 && ' Do vencimento, recebe um aviso na próxima manhã.'}
      </span>
    </p>
  );
}

function NotificationSentence({
  answer: { count, reason, setting },
  name,
  several,
}: {
  answer: RecipientPreview;
  name: string;
  several: boolean;
}) {
  const { isAdministrator } = useRights();
  if (count > 0) {
    return several ? (
      <>{name} recebe aviso por e-mail quando os documentos forem salvos.</>
    ) : (
      <>{name} recebe um e-mail quando o documento for salvo.</>
    );
  }
  if (reason !== undefined && reason !== 'off') {
    return (
      <>
        {name} não será avisado: {missingMailReasons[reason]}.
      </>
    );
  }
  return (
    <>
      {name} não será avisado: “{setting !== null && settingLabel(setting)}” está desligado em{' '}
      {isAdministrator ? (
        <TextLink to={paths.adminEmailConfig()} className="underline">
          Config. Email
        </TextLink>
      ) : (
        'Config. Email'
      )}
      .
    </>
  );
}
