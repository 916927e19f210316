// Client page of the back office: account data, documents, tickets and document views.
import { useInfiniteQuery, useIsMutating, useQuery } from '@tanstack/react-query';
import { Eye, Pencil, Trash2, Upload, Users } from 'lucide-react';
import { useState } from 'react';
import { type LoaderFunctionArgs, Navigate, useNavigate, useParams } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryListCard } from '~/components/query-list-card';
import { RecordNotFound } from '~/components/record-page';
import { TextLink } from '~/components/text-link';
import { InvitationStatus } from '~/features/auth/components/invitation-status';
import { useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import {
  documentsOfClientQuery,
  type ClientDocument,
  clientDocumentViewsQuery,
  ticketsOfClientQuery,
} from '~/features/clients/api/client-records';
import { clientKeys, clientQuery, type ClientRecord } from '~/features/clients/api/clients';
import { startImpersonation } from '~/features/clients/api/impersonation';
import { DocumentViewItem } from '~/features/documents/components/document-view-item';
import { PeopleCard } from '~/features/members/components/people-card';
import { AssignmentsCard } from '~/features/staff/components/assignments-card';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { areLoading } from '~/lib/api/are-loading';
import { getErrorInfo } from '~/lib/api/errors';
import { queryClient } from '~/lib/api/query-client';
import { expiryOf, formatDate, formatDateTime } from '~/lib/dates';
import { formatPhone } from '~/lib/phone';
import { formatTaxId } from '~/lib/tax-id';
import { isUuid } from '~/lib/uuid';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';
import { EmailText } from '~/ui/email-text';
import { FileIcon } from '~/ui/file-icon';
import { SkeletonList } from '~/ui/skeleton';

import { ClientPrivacyCard } from './client-privacy-card';
import { ClientSecurityCard } from './client-security-card';
import { DeleteClientDialog } from './delete-client-dialog';

export function loader({ params: { clientId = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(clientQuery(clientId));
  if (isUuid(clientId)) {
    void queryClient.prefetchInfiniteQuery(documentsOfClientQuery(clientId));
    void queryClient.prefetchInfiniteQuery(ticketsOfClientQuery(clientId));
    void queryClient.prefetchInfiniteQuery(clientDocumentViewsQuery(clientId));
  }
  return null;
}

export { ClientPage as Component };

function ClientPage() {
  const { clientId = '' } = useParams();
  const navigate = useNavigate();
  const [isDeleted, setDeleted] = useState(false);
  // The deletion is announced while the list is loaded, and the page must not read a client who is gone.
  const client = useQuery({ ...clientQuery(clientId), enabled: !isDeleted });
  const isChanging = useIsMutating() > 0;
  const leave = () => {
    setDeleted(true);
    void navigate(paths.adminClients());
  };
  // A toast shows the error.
  if (client.isLoadingError) return <Navigate to={paths.adminClients()} replace />;
  if (!client.data) {
    return (
      <>
        <PageHeader title="Cliente" back={{ to: paths.adminClients(), label: 'Clientes' }} />
        <SkeletonList rows={3} rowClassName="h-40" />
      </>
    );
  }
  // A colleague deleted the client. An own deletion leads to the list, and may be announced before its answer.
  if (getErrorInfo(client.error).code === 'PGRST116' && !isDeleted && !isChanging) {
    return (
      <RecordNotFound
        icon={Users}
        title="Cliente não encontrado"
        hint="Um colega pode ter excluído este cliente."
        back={{ to: paths.adminClients(), label: 'Clientes' }}
      />
    );
  }
  return <ClientScreen key={clientId} client={client.data} onDeleted={leave} />;
}

function ClientScreen({ client, onDeleted }: { client: ClientRecord; onDeleted: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const { id: adminId } = useUser();
  const rights = useRights();
  const looking = useApiMutation({
    mutationFn: startImpersonation,
    errorToast: { title: 'Erro ao ver como cliente' },
  });
  return (
    <>
      <PageHeader
        title={client.fullName ?? client.email}
        back={{ to: paths.adminClients(), label: 'Clientes' }}
        secondary={
          rights.isAdministrator && (
            <Button
              variant="secondary"
              icon={<Eye size={20} aria-hidden />}
              pending={looking.isPending}
              onClick={() => looking.mutate({ adminId, client, start: paths.home() })}
            >
              Ver como cliente
            </Button>
          )
        }
        action={
          rights.mayWrite && (
            <ButtonLink to={paths.adminDocumentUpload(client.id)} icon={<Upload size={20} aria-hidden />}>
              Novo Documento
            </ButtonLink>
          )
        }
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex flex-col gap-6 max-lg:order-last">
          <ClientLists clientId={client.id} />
        </div>
        <div className="flex flex-col gap-6">
          <Panel title="Dados">
            <DescriptionList>
              <DescriptionItem term="Nome">{client.fullName ?? 'N/A'}</DescriptionItem>
              <DescriptionItem term="Email">
                <EmailText email={client.email} />
              </DescriptionItem>
              <DescriptionItem term="CPF ou CNPJ">
                {client.taxId === null ? 'N/A' : formatTaxId(client.taxId)}
              </DescriptionItem>
              <DescriptionItem term="Telefone">
                {client.phone === null ? 'N/A' : formatPhone(client.phone)}
              </DescriptionItem>
              <DescriptionItem term="Cadastro">{formatDate(client.created_at)}</DescriptionItem>
              <DescriptionItem term="Último acesso">
                {client.last_sign_in_at === null
                  ? 'Ainda não entrou'
                  : formatDateTime(client.last_sign_in_at)}
              </DescriptionItem>
            </DescriptionList>
            {rights.isAdministrator && (
              <div className="border-border flex flex-col gap-2 border-t p-5">
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
            )}
          </Panel>
          {rights.isAdministrator && client.last_sign_in_at === null && (
            <Panel title="Convite">
              <div className="p-5">
                <InvitationStatus person={client} affectedKeys={[clientKeys.all]} />
              </div>
            </Panel>
          )}
          <AssignmentsCard clientId={client.id} />
          <PeopleCard clientId={client.id} isStaff canManage={rights.isAdministrator} />
          {rights.isAdministrator && (
            <>
              <ClientSecurityCard client={client} />
              <ClientPrivacyCard client={client} onErased={onDeleted} />
            </>
          )}
        </div>
      </div>
      <DeleteClientDialog
        client={client}
        open={deleting}
        onClose={() => setDeleting(false)}
        onDeleted={onDeleted}
      />
    </>
  );
}

/** The lists of the client, all at once: one that came later would move those below it. */
function ClientLists({ clientId }: { clientId: string }) {
  const documents = useInfiniteQuery(documentsOfClientQuery(clientId));
  const tickets = useInfiniteQuery(ticketsOfClientQuery(clientId));
  const openings = useInfiniteQuery(clientDocumentViewsQuery(clientId));
  if (areLoading([documents, tickets, openings])) return <SkeletonList rows={3} rowClassName="h-48" />;
  return (
    <>
      <QueryListCard title="Documentos" pages={documents} empty="Nenhum documento encontrado">
        {(document) => <DocumentLine document={document} />}
      </QueryListCard>
      <QueryListCard title="Tickets" pages={tickets} empty="Nenhum ticket encontrado">
        {({ id, subject, status, created_at }) => (
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <div className="min-w-0">
              <TextLink to={paths.adminTicket(id)} className="font-medium wrap-anywhere">
                {subject}
              </TextLink>
              <p className="text-muted-foreground text-sm tabular-nums">{formatDate(created_at)}</p>
            </div>
            <TicketStatusBadge status={status} />
          </div>
        )}
      </QueryListCard>
      <QueryListCard
        title="O que foi aberto"
        pages={openings}
        empty="O cliente ainda não abriu nenhum documento."
      >
        {(opening) => (
          <DocumentViewItem opening={opening}>
            {opening.document && (
              <TextLink to={paths.adminDocument(opening.document.id)} className="font-medium wrap-anywhere">
                {opening.document.name}
              </TextLink>
            )}
          </DocumentViewItem>
        )}
      </QueryListCard>
    </>
  );
}

function DocumentLine({ document }: { document: ClientDocument }) {
  const { id, name, type, file_url: path, folder, uploaded_at, expires_at, status } = document;
  const expiry = expiryOf(expires_at);
  const expired = expiry === 'expired';
  return (
    <div className="flex items-start gap-3">
      <FileIcon type={type} path={path} className="mt-0.5 shrink-0" />
      <div className="min-w-0">
        <TextLink to={paths.adminDocument(id)} className="font-medium wrap-anywhere">
          {name}
        </TextLink>
        <p className="text-muted-foreground text-sm tabular-nums">
          {folder ?? 'N/A'} · enviado em {formatDate(uploaded_at)}
          {expires_at !== null && (
            <span className={expired ? 'text-danger' : undefined}>
              {' '}
              ·{' '}
              {expiry === 'today'
                ? 'Vence hoje'
                : `${expired ? 'Vencido em' : 'Vence em'} ${formatDate(expires_at)}`}
            </span>
          )}
          {status === 'pending' && ' · Pendente'}
        </p>
      </div>
    </div>
  );
}
