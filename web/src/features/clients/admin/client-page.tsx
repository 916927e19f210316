import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Eye, Pencil, Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import { Link, type LoaderFunctionArgs, Navigate, useNavigate, useParams } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { ShortList } from '~/components/query-list-card';
import { useUser } from '~/features/auth/session';
import {
  documentsOfClientQuery,
  type HeldDocument,
  openingsOfClientQuery,
  ticketsOfClientQuery,
} from '~/features/clients/api/client-records';
import { clientQuery, type ListedClient } from '~/features/clients/api/clients';
import { viewAs } from '~/features/clients/api/impersonation';
import { OpeningLine } from '~/features/documents/components/document-view-item';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { useAction } from '~/hooks/use-api-mutation';
import { queryClient } from '~/lib/api/query-client';
import { expiryOf, formatDate, formatDateTime } from '~/lib/dates';
import { formatTaxId } from '~/lib/tax-id';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Fact, Facts } from '~/ui/description-list';
import { EmailAddress } from '~/ui/email-text';
import { FileIcon } from '~/ui/file-icon';
import { SkeletonList } from '~/ui/skeleton';

import { ClientPrivacy } from './client-privacy-card';
import { DeleteClientDialog } from './delete-client-dialog';

export function loader({ params: { clientId = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(clientQuery(clientId));
  return null;
}

export { ClientPage as Component };

function ClientPage() {
  const { clientId = '' } = useParams();
  const client = useQuery(clientQuery(clientId));
  // The toast says why; there is nothing to show without the client.
  if (client.isLoadingError) return <Navigate to={paths.adminClients()} replace />;
  if (!client.data) {
    return (
      <>
        <PageHeader title="Cliente" back={{ to: paths.adminClients(), label: 'Clientes' }} />
        <SkeletonList rows={3} rowClassName="h-40" />
      </>
    );
  }
  return <ClientScreen key={clientId} client={client.data} />;
}

function ClientScreen({ client }: { client: ListedClient }) {
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const { id: adminId } = useUser();
  const looking = useAction({ run: viewAs, failure: { title: 'Erro ao ver como cliente' } });
  const documents = useInfiniteQuery(documentsOfClientQuery(client.id));
  const tickets = useInfiniteQuery(ticketsOfClientQuery(client.id));
  const openings = useInfiniteQuery(openingsOfClientQuery(client.id));
  return (
    <>
      <PageHeader
        title={client.fullName ?? client.email}
        back={{ to: paths.adminClients(), label: 'Clientes' }}
        secondary={
          <Button
            variant="secondary"
            icon={<Eye size={20} aria-hidden />}
            pending={looking.pending}
            onClick={() => looking.run({ adminId, client, start: paths.home() })}
          >
            Ver como cliente
          </Button>
        }
        action={
          <ButtonLink to={paths.adminDocumentUpload(client.id)} icon={<Upload size={20} aria-hidden />}>
            Novo Documento
          </ButtonLink>
        }
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex flex-col gap-6 max-lg:order-last">
          <ShortList title="Documentos" pages={documents} empty="Nenhum documento encontrado">
            {(document) => <DocumentLine document={document} />}
          </ShortList>
          <ShortList title="Tickets" pages={tickets} empty="Nenhum ticket encontrado">
            {({ id, subject, status, created_at }) => (
              <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
                <div className="min-w-0">
                  <Link
                    to={paths.adminTicket(id)}
                    className="text-primary font-medium wrap-anywhere hover:underline"
                  >
                    {subject}
                  </Link>
                  <p className="tabular text-muted text-sm">{formatDate(created_at)}</p>
                </div>
                <TicketStatusBadge status={status} />
              </div>
            )}
          </ShortList>
          <ShortList
            title="O que foi aberto"
            pages={openings}
            empty="O cliente ainda não abriu nenhum documento."
          >
            {(opening) => (
              <OpeningLine opening={opening}>
                {opening.document && (
                  <Link
                    to={paths.adminDocument(opening.document.id)}
                    className="text-primary font-medium wrap-anywhere hover:underline"
                  >
                    {opening.document.name}
                  </Link>
                )}
              </OpeningLine>
            )}
          </ShortList>
        </div>
        <div className="flex flex-col gap-6">
          <Panel title="Dados">
            <Facts>
              <Fact name="Nome">{client.fullName ?? 'N/A'}</Fact>
              <Fact name="Email">
                <EmailAddress of={client.email} />
              </Fact>
              <Fact name="CPF ou CNPJ">{client.taxId === null ? 'N/A' : formatTaxId(client.taxId)}</Fact>
              <Fact name="Cadastro">{formatDate(client.created_at)}</Fact>
              <Fact name="Último acesso">
                {client.last_sign_in_at === null
                  ? 'Ainda não entrou'
                  : formatDateTime(client.last_sign_in_at)}
              </Fact>
            </Facts>
            <div className="border-hairline flex flex-col gap-2 border-t p-5">
              <ButtonLink
                to={paths.adminClientEdit(client.id)}
                variant="secondary"
                icon={<Pencil size={18} aria-hidden />}
              >
                Editar
              </ButtonLink>
              <Button
                variant="quiet-danger"
                icon={<Trash2 size={18} aria-hidden />}
                onClick={() => setDeleting(true)}
              >
                Excluir
              </Button>
            </div>
          </Panel>
          <ClientPrivacy client={client} onErased={() => void navigate(paths.adminClients())} />
        </div>
      </div>
      <DeleteClientDialog
        client={client}
        open={deleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate(paths.adminClients())}
      />
    </>
  );
}

function DocumentLine({ document }: { document: HeldDocument }) {
  const { id, name, type, file_url: path, folder, uploaded_at, expires_at, status } = document;
  const expired = expiryOf(expires_at) === 'expired';
  return (
    <div className="flex items-start gap-3">
      <FileIcon type={type} path={path} className="mt-0.5 shrink-0" />
      <div className="min-w-0">
        <Link to={paths.adminDocument(id)} className="text-primary font-medium wrap-anywhere hover:underline">
          {name}
        </Link>
        <p className="tabular text-muted text-sm">
          {folder ?? 'N/A'} · enviado em {formatDate(uploaded_at)}
          {expires_at !== null && (
            <span className={expired ? 'text-danger' : undefined}>
              {' '}
              · {expired ? 'Vencido em' : 'Vence em'} {formatDate(expires_at)}
            </span>
          )}
          {status === 'pending' && ' · Pendente'}
        </p>
      </div>
    </div>
  );
}
