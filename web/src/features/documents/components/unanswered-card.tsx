// Card of the home page of the clients: the documents that wait for their answer.
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { Link } from 'react-router';

import { unansweredQuery } from '~/features/documents/api/approvals';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { FileIcon } from '~/ui/file-icon';

/** Shows nothing if no document waits. The longest waiting ones come first; others follow as these are answered. */
export function UnansweredCard() {
  const { data } = useQuery(unansweredQuery());
  if (!data || data.total === 0) return null;
  return (
    <Panel title="Esperam a sua resposta">
      <ul className="divide-border divide-y">
        {data.documents.map(({ id, name, type, file_url, approval_request }) => (
          <li key={id}>
            <Link
              to={paths.document(id)}
              className="hover:bg-muted flex min-h-16 items-center gap-4 px-5 py-3 transition-colors"
            >
              <FileIcon type={type} path={file_url} />
              <span className="min-w-0 flex-1">
                <span className="block font-medium wrap-anywhere">{name}</span>
                <span className="text-muted-foreground block text-sm">
                  {approval_request === 'approve' ? 'Aprovar ou recusar' : 'Confirmar a leitura'}
                </span>
              </span>
              <ChevronRight size={18} aria-hidden className="text-muted-foreground shrink-0" />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
