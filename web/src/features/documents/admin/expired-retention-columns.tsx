// Columns of the list of documents whose retention period has expired.
import { Trash2 } from 'lucide-react';

import { TextLink } from '~/components/text-link';
import type { RetentionExpiredDocument } from '~/features/documents/api/expired-retention';
import { formatDate } from '~/lib/dates';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import type { Column } from '~/ui/data-table';
import { EmailText } from '~/ui/email-text';
import { FileIcon } from '~/ui/file-icon';

/** Time between the entry of a document in the list and its automatic deletion, in milliseconds. */
const SHOWN_FOR = 7 * 24 * 60 * 60 * 1000;

export function expiredRetentionColumns(
  ask: (document: RetentionExpiredDocument) => void,
): Column<RetentionExpiredDocument>[] {
  return [
    {
      header: 'Documento',
      primary: true,
      cell: ({ id, name, type, file_url }) => (
        <span className="flex items-center gap-3">
          <FileIcon type={type} path={file_url} />
          <TextLink to={paths.adminDocument(id)} className="line-clamp-2 font-medium" title={name}>
            {name}
          </TextLink>
        </span>
      ),
    },
    {
      header: 'Cliente',
      className: '@4xl:max-w-52 @5xl:max-w-64',
      cell: ({ client }) =>
        client ? (
          <span className="min-w-0">
            <span className="block @4xl:truncate" title={client.name ?? undefined}>
              {client.name ?? 'N/A'}
            </span>
            <span className="text-muted-foreground block text-sm @4xl:truncate" title={client.email}>
              <EmailText email={client.email} />
            </span>
          </span>
        ) : (
          'N/A'
        ),
    },
    { header: 'Pasta', freeText: true, cell: ({ folder }) => folder ?? 'N/A' },
    {
      header: 'Na lista desde',
      className: 'tabular-nums',
      cell: ({ retention_expired_at: at }) => at !== null && <time dateTime={at}>{formatDate(at)}</time>,
    },
    {
      header: 'Descarte',
      className: 'tabular-nums',
      cell: ({ autoDelete, retention_expired_at: at }) =>
        autoDelete && at !== null ? `Sozinho em ${formatDate(deletionTime(at))}` : 'Pelo escritório',
    },
    {
      header: 'Ações',
      actions: true,
      cell: (document) => (
        <Button
          variant="quiet-danger"
          className="-mr-4"
          icon={<Trash2 size={18} aria-hidden />}
          aria-label={`Descartar ${document.name}`}
          onClick={() => ask(document)}
        >
          Descartar
        </Button>
      ),
    },
  ];
}

/** Time of the automatic deletion. Documents with automatic deletion are listed for a week before it. */
function deletionTime(since: string): string {
  return new Date(Date.parse(since) + SHOWN_FOR).toISOString();
}
