// Document page of the clients.
import { useQuery } from '@tanstack/react-query';
import { CalendarDays, Download, FileX, Printer } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { lazyWithPreload } from '~/components/lazy-with-preload';
import { PageHeader } from '~/components/page-header';
import { RecordPage } from '~/components/record-page';
import { StickyAction } from '~/components/sticky-action';
import { TextLink } from '~/components/text-link';
import { type DocumentDetail, documentQuery } from '~/features/documents/api/documents';
import { fileQuery, loadStorageClient } from '~/features/documents/api/files';
import { isPayable } from '~/features/documents/api/payment-details';
import { documentStatusLabel } from '~/features/documents/document-labels';
import { DocumentViewer } from '~/features/documents/viewer/document-viewer';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { queryClient } from '~/lib/api/query-client';
import { toDay, expiryOf, formatDate } from '~/lib/dates';
import { formatSize } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';
import { Skeleton, SkeletonList } from '~/ui/skeleton';

import { useDocumentActions } from './use-document-actions';

// Loaded with the document, because it is above the viewer.
const PaymentCard = lazyWithPreload(async () => (await import('./payment-card')).PaymentCard);

// Loaded on demand, because most documents ask for no answer.
const ApprovalCard = lazy(async () => ({ default: (await import('./approval-card')).ApprovalCard }));

// Loaded on demand, after what is seen.
const PrintShortcut = lazy(async () => ({ default: (await import('./print-shortcut')).PrintShortcut }));

// Loaded on demand, because most people act for one client.
const OwnerSwitch = lazy(async () => ({
  default: (await import('~/features/members/components/owner-switch')).OwnerSwitch,
}));

export function loader({ params: { documentId = '' } }: LoaderFunctionArgs) {
  void loadStorageClient();
  void PaymentCard.preload().catch(() => {});
  void queryClient.prefetchQuery(documentQuery(documentId));
  return null;
}

const back = { to: paths.documents(), label: 'Voltar para Documentos' };

export { PortalDocumentPage as Component };

function PortalDocumentPage() {
  const { documentId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(documentQuery(documentId))}
      title="Documento"
      notFound={{
        icon: FileX,
        title: 'Documento não encontrado',
        hint: 'O documento solicitado não existe ou foi removido',
        children: (
          <Suspense>
            <OwnerSwitch kind="document" id={documentId} className="px-5 pb-8" />
          </Suspense>
        ),
      }}
      back={back}
      loading={<Loading />}
    >
      {(document) => <DocumentScreen key={documentId} document={document} />}
    </RecordPage>
  );
}

function DocumentScreen({ document }: { document: DocumentDetail }) {
  const { path, isPrintable, download, print, printing } = useDocumentActions(document);
  const folderName = document.folders?.name ?? document.folder_id_supabase;
  const downloadButton = {
    icon: <Download size={20} aria-hidden />,
    pending: download.isPending,
    onClick: () => download.mutate(),
  };
  const printButton = {
    icon: <Printer size={20} aria-hidden />,
    pending: print.isPending,
    onClick: () => print.mutate(),
  };
  return (
    <>
      {isPrintable && (
        <Suspense>
          <PrintShortcut onPrint={() => print.mutate()} />
        </Suspense>
      )}
      <PageHeader
        title={document.name}
        back={{ to: paths.folder(document.folder_id_supabase), label: `Voltar para ${folderName}` }}
      />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem] lg:grid-rows-[auto_1fr] xl:grid-cols-[minmax(0,1fr)_20rem]">
        {document.status !== 'pending' && (isPayable(document) || document.approval_request !== null) && (
          <div className="flex flex-col gap-6 lg:col-start-2">
            <Suspense fallback={<Skeleton className="h-80" />}>
              {document.approval_request !== null && document.file_url !== null && (
                <ApprovalCard document={document} />
              )}
              {isPayable(document) && <PaymentCard document={document} />}
            </Suspense>
          </div>
        )}
        <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <DocumentViewer
            type={document.type}
            path={path}
            name={document.name}
            read={fileQuery}
            photosIn="client-documents"
            actions={
              <>
                <StickyAction>
                  <Button variant="secondary" {...downloadButton}>
                    Baixar
                  </Button>
                </StickyAction>
                <Button variant="secondary" {...printButton}>
                  Imprimir
                </Button>
              </>
            }
          />
        </div>
        <div className="flex flex-col gap-6 lg:col-start-2">
          <Panel title="Informações">
            <DocumentFacts document={document} folderName={folderName} />
          </Panel>
          <Panel title="Ações" className="print:hidden">
            <div className="flex flex-col gap-2 p-5">
              <Button {...downloadButton}>Baixar Documento</Button>
              <Button variant="secondary" {...printButton}>
                Imprimir Documento
              </Button>
              <ButtonLink
                variant="secondary"
                to={paths.calendar(document.expires_at ? toDay(document.expires_at) : undefined)}
                icon={<CalendarDays size={20} aria-hidden />}
              >
                Ver no Calendário
              </ButtonLink>
              <p role="status" className="text-muted-foreground text-sm empty:hidden">
                {printing && `Preparando a página ${printing.page} de ${printing.pages}…`}
              </p>
            </div>
          </Panel>
        </div>
      </div>
    </>
  );
}

function DocumentFacts({ document, folderName }: { document: DocumentDetail; folderName: string }) {
  useCurrentMinute();
  const isPaid = document.document_payments.length > 0;
  const expired = !isPaid && expiryOf(document.expires_at) === 'expired';
  return (
    <DescriptionList>
      <DescriptionItem term="Nome">{document.name}</DescriptionItem>
      <DescriptionItem term="Tipo">
        {document.type.toUpperCase()}
        {document.size !== null && ` · ${formatSize(document.size)}`}
      </DescriptionItem>
      <DescriptionItem term="Pasta">
        <TextLink to={paths.folder(document.folder_id_supabase)}>{folderName}</TextLink>
      </DescriptionItem>
      <DescriptionItem term="Data de Criação">{formatDate(document.created_at)}</DescriptionItem>
      <DescriptionItem term="Data de Vencimento">
        <span className={expired ? 'text-danger' : undefined}>
          {formatDate(document.expires_at)}
          {expired && ' (Vencido)'}
        </span>
      </DescriptionItem>
      <DescriptionItem term="Status">{documentStatusLabel(document.status)}</DescriptionItem>
    </DescriptionList>
  );
}

function Loading() {
  return (
    <>
      <Skeleton className="mb-8 h-9 w-2/3" />
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_18rem] xl:grid-cols-[minmax(0,1fr)_20rem]">
        <Skeleton className="h-[min(75dvh,60rem)]" />
        <SkeletonList rows={2} rowClassName="h-64" />
      </div>
    </>
  );
}
