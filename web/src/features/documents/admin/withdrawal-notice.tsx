// Notice on the page of a document that the office took back from its client.
import { useQuery } from '@tanstack/react-query';

import { TextLink } from '~/components/text-link';
import { useRights } from '~/features/auth/rights';
import { clientQuery } from '~/features/clients/api/clients';
import type { AdminDocument } from '~/features/documents/api/admin-document';
import { documentKeys } from '~/features/documents/api/documents';
import { republishDocument } from '~/features/documents/api/withdrawal';
import { inboxKeys } from '~/features/inbox/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Alert, AlertRow } from '~/ui/alert';
import { Button } from '~/ui/button';

export function WithdrawalNotice({ document }: { document: AdminDocument }) {
  const { mayWrite } = useRights();
  const { id, withdrawn_at: at, withdrawn_client_id: clientId } = document;
  const client = useQuery({ ...clientQuery(clientId ?? ''), enabled: clientId !== null });
  const republish = useApiMutation({
    mutationFn: () => republishDocument(id),
    invalidates: [documentKeys.all, inboxKeys.all],
    successToast: { title: 'Documento publicado de novo' },
    errorToast: { title: 'Erro ao publicar de novo' },
  });
  if (at === null || clientId === null) return null;
  return (
    <Alert variant="info" className="mb-6">
      <AlertRow
        action={
          mayWrite && (
            <Button variant="secondary" pending={republish.isPending} onClick={() => republish.mutate()}>
              Publicar de novo
            </Button>
          )
        }
      >
        <p>
          {`Recolhido em ${formatDateTime(at)}. `}
          {client.data && (
            <TextLink to={paths.adminClient(clientId)}>{client.data.fullName ?? client.data.email}</TextLink>
          )}
          {client.data ? ' não vê mais este documento.' : 'O cliente não vê mais este documento.'}
        </p>
      </AlertRow>
    </Alert>
  );
}
