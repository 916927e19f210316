// Document page of the back office.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Download, FileX } from 'lucide-react';
import { useState } from 'react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { QueryListCard } from '~/components/query-list-card';
import { RecordPage } from '~/components/record-page';
import { TextLink } from '~/components/text-link';
import { useRights } from '~/features/auth/rights';
import { documentViewsQuery } from '~/features/clients/api/client-records';
import { type AdminDocument, adminDocumentQuery } from '~/features/documents/api/admin-document';
import { downloadFile, fileQuery, loadStorageClient } from '~/features/documents/api/files';
import { isPayable } from '~/features/documents/api/payment-details';
import { versionsQuery } from '~/features/documents/api/versions';
import { DayOffNote } from '~/features/documents/components/day-off-note';
import { DocumentViewItem } from '~/features/documents/components/document-view-item';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { DocumentViewer } from '~/features/documents/viewer/document-viewer';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { staffQuery } from '~/features/staff/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { queryClient } from '~/lib/api/query-client';
import { formatDate, formatDateTime } from '~/lib/dates';
import { downloadFileName } from '~/lib/files/file-name';
import { formatSize } from '~/lib/format';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';
import { SkeletonList } from '~/ui/skeleton';

import { ApprovalPanel } from './approval-panel';
import { DocumentForm } from './document-form';
import { PaymentPanel } from './payment-panel';
import { PersonalLinksPanel } from './personal-links-panel';
import { ReplaceFileCard } from './replace-file-card';
import { TimelinePanel } from './timeline-panel';
import { VersionsPanel } from './versions-panel';
import { WithdrawalNotice } from './withdrawal-notice';

const back = { to: paths.adminDocuments(), label: 'Voltar para Documentos' };

export function loader({ params: { documentId = '' } }: LoaderFunctionArgs) {
  void loadStorageClient();
  void queryClient.prefetchQuery(adminDocumentQuery(documentId));
  void queryClient.prefetchQuery(versionsQuery(documentId));
  void queryClient.prefetchQuery(allFoldersQuery());
  void queryClient.prefetchQuery(staffQuery());
  return null;
}

export { AdminDocumentPage as Component };

function AdminDocumentPage() {
  const { documentId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(adminDocumentQuery(documentId))}
      title="Documento"
      notFound={{
        icon: FileX,
        title: 'Documento não encontrado',
        hint: 'O documento solicitado não existe ou foi removido',
      }}
      back={back}
      loading={<SkeletonList rows={3} rowClassName="h-40" />}
    >
      {(document) => <DocumentScreen key={documentId} document={document} />}
    </RecordPage>
  );
}

/** Notice about a legal hold or an expired retention period. */
function RetentionNotice({ document }: { document: AdminDocument }) {
  const {
    legal_hold_reason,
    folder_hold_reason,
    retention_expired_at: expiredAt,
    erased_client_id: erased,
  } = document;
  const reason = legal_hold_reason ?? (expiredAt === null ? folder_hold_reason : null);
  if (reason === null && expiredAt === null) return null;
  return (
    <Alert variant="info" className="mb-6">
      {reason === null && <p>O prazo de guarda da pasta acabou: o documento pode ser descartado.</p>}
      {reason !== null && <p className="wrap-anywhere">Sob guarda legal: {reason}</p>}
      {erased !== null && (
        <p>
          Os dados do cliente foram apagados; o documento fica só até o fim da guarda e depois é descartado.
        </p>
      )}
    </Alert>
  );
}

function DocumentScreen({ document }: { document: AdminDocument }) {
  const { mayWrite } = useRights();
  const { client, file_url: path, name, type } = document;
  const [file, setFile] = useState<File | null>(null);
  const openings = useInfiniteQuery(documentViewsQuery(document.id));
  const download = useApiMutation({
    async mutationFn() {
      if (path !== null) await downloadFile({ path, name: downloadFileName(document) });
    },
    errorToast: {
      title: 'Arquivo não disponível',
      fallback: 'Não foi possível baixar o arquivo. Tente novamente.',
    },
  });
  return (
    <>
      <PageHeader title={name} back={back} />
      <WithdrawalNotice document={document} />
      <RetentionNotice document={document} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <DocumentViewer
            type={type}
            path={path}
            name={name}
            read={fileQuery}
            photosIn="client-documents"
            actions={
              path !== null && (
                <Button
                  variant="secondary"
                  icon={<Download size={20} aria-hidden />}
                  pending={download.isPending}
                  onClick={() => download.mutate()}
                >
                  Baixar
                </Button>
              )
            }
          />
          <QueryListCard
            title="Aberturas pelo cliente"
            pages={openings}
            empty="O cliente ainda não abriu este documento."
          >
            {(opening) => <DocumentViewItem opening={opening} />}
          </QueryListCard>
          <TimelinePanel document={document} />
        </div>
        <div className="flex flex-col gap-6">
          <Panel title="Informações">
            <DescriptionList>
              <DescriptionItem term="Cliente">
                {client ? (
                  <TextLink to={paths.adminClient(client.id)}>{client.fullName ?? client.email}</TextLink>
                ) : (
                  'N/A'
                )}
              </DescriptionItem>
              <DescriptionItem term="Tipo">
                {type.toUpperCase() || 'N/A'}
                {document.size !== null && ` · ${formatSize(document.size)}`}
              </DescriptionItem>
              {document.expires_at !== null && (
                <DescriptionItem term="Vencimento">
                  <ExpiryLabel expiresAt={document.expires_at} />
                  {isPayable(document) && (
                    <DayOffNote expiresAt={document.expires_at} category={document.category} />
                  )}
                </DescriptionItem>
              )}
              <DescriptionItem term="Data de Criação">{formatDate(document.created_at)}</DescriptionItem>
              <DescriptionItem term="Enviado em">{formatDate(document.uploaded_at)}</DescriptionItem>
              <DescriptionItem term="Publicado em">{formatDateTime(document.published_at)}</DescriptionItem>
            </DescriptionList>
          </Panel>
          {mayWrite && client && document.status !== 'pending' && path !== null && (
            <PersonalLinksPanel document={document} />
          )}
          <ApprovalPanel document={document} />
          <PaymentPanel document={document} />
          {mayWrite && <DocumentForm document={document} unsent={file !== null} />}
          {mayWrite && client && (
            <ReplaceFileCard document={document} client={client} file={file} onFile={setFile} />
          )}
          <VersionsPanel document={document} />
        </div>
      </div>
    </>
  );
}
