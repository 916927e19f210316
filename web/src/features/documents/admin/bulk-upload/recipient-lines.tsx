// Statement of which clients receive documents and e-mails before a bulk upload.
import type { DocumentNotificationInput } from '~/lib/api/database';
import { pluralize } from '~/lib/format';

import { NotificationLine } from '../notification-preview';
import { type ClientCount, clientName } from './bulk-upload-item';

type RecipientLinesProps = {
  recipients: readonly ClientCount[];
  /** The values that all documents have. */
  document: Omit<DocumentNotificationInput, 'client_id'>;
};

/** A line for each client who receives documents: how many, and whether an e-mail announces them. */
export function RecipientLines({ recipients, document }: RecipientLinesProps) {
  return recipients.map(({ client, count }) => (
    <NotificationLine
      key={client.id}
      name={`${clientName(client)}${count === 0 ? '' : ` (${pluralize(count, 'documento', 'documentos')})`}`}
      document={{ ...document, client_id: client.id }}
      count={count}
    />
  ));
}
