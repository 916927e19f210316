// Columns that all document tables of the back office share: document, client and folder.
import { TextLink } from '~/components/text-link';
import type { AdminDocumentSummary } from '~/features/documents/api/admin-documents';
import { paths } from '~/paths';
import type { Column } from '~/ui/data-table';
import { EmailText } from '~/ui/email-text';
import { FileIcon } from '~/ui/file-icon';

export const documentColumns: Column<AdminDocumentSummary>[] = [
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
];
