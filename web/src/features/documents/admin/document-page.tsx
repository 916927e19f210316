import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Download, FileX } from 'lucide-react';
import { useState } from 'react';
import { Link, type LoaderFunctionArgs, useParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { ShortList } from '~/components/query-list-card';
import { RecordScreen } from '~/components/record-page';
import { openingsOfDocumentQuery } from '~/features/clients/api/client-records';
import { type AdminDocument, adminDocumentQuery } from '~/features/documents/api/admin-document';
import { downloadFile, fileQuery, storage } from '~/features/documents/api/files';
import { OpeningLine } from '~/features/documents/components/document-view-item';
import { Preview } from '~/features/documents/viewer/document-viewer';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { useAction } from '~/hooks/use-api-mutation';
import { queryClient } from '~/lib/api/query-client';
import { formatDate } from '~/lib/dates';
import { downloadName } from '~/lib/files/file-name';
import { formatSize } from '~/lib/format';
import { paths } from '~/paths';
import { Notice } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Fact, Facts } from '~/ui/description-list';
import { SkeletonList } from '~/ui/skeleton';

import { DocumentForm } from './document-form';
import { ReplaceFile } from './replace-file-card';

const back = { to: paths.adminDocuments(), label: 'Voltar para Documentos' };

export function loader({ params: { documentId = '' } }: LoaderFunctionArgs) {
  void storage();
  void queryClient.prefetchQuery(adminDocumentQuery(documentId));
  void queryClient.prefetchQuery(allFoldersQuery());
  return null;
}

export { AdminDocumentPage as Component };

function AdminDocumentPage() {
  const { documentId = '' } = useParams();
  return (
    <RecordScreen
      read={useQuery(adminDocumentQuery(documentId))}
      name="Documento"
      icon={FileX}
      back={back}
      loading={<SkeletonList rows={3} rowClassName="h-40" />}
    >
      {(document) => <DocumentScreen key={documentId} document={document} />}
    </RecordScreen>
  );
}

/** Why it cannot go, or that it should. */
function KeptBy({ document }: { document: AdminDocument }) {
  const { hold_reason, folderHold, outlived_at: outlived, erased_client_id: erased } = document;
  const reason = hold_reason ?? (outlived === null ? folderHold : null);
  if (reason === null && outlived === null) return null;
  return (
    <Notice tone="info" className="mb-6">
      {reason === null && <p>O prazo de guarda da pasta acabou: o documento pode ser descartado.</p>}
      {reason !== null && <p className="wrap-anywhere">Sob guarda legal: {reason}</p>}
      {erased !== null && (
        <p>
          Os dados do cliente foram apagados; o documento fica só até o fim da guarda e depois é descartado.
        </p>
      )}
    </Notice>
  );
}

function DocumentScreen({ document }: { document: AdminDocument }) {
  const { client, file_url: path, name, type } = document;
  const [file, setFile] = useState<File | null>(null);
  const openings = useInfiniteQuery(openingsOfDocumentQuery(document.id));
  const download = useAction({
    async run() {
      if (path !== null) await downloadFile({ path, name: downloadName(document) });
    },
    failure: {
      title: 'Arquivo não disponível',
      fallback: 'Não foi possível baixar o arquivo. Tente novamente.',
    },
  });
  return (
    <>
      <PageHeader title={name} back={back} />
      <KeptBy document={document} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <Preview
            type={type}
            path={path}
            name={name}
            read={fileQuery}
            actions={
              path !== null && (
                <Button
                  variant="secondary"
                  icon={<Download size={20} aria-hidden />}
                  pending={download.pending}
                  onClick={() => download.run()}
                >
                  Baixar
                </Button>
              )
            }
          />
          <ShortList
            title="Aberturas pelo cliente"
            pages={openings}
            empty="O cliente ainda não abriu este documento."
          >
            {(opening) => <OpeningLine opening={opening} />}
          </ShortList>
        </div>
        <div className="flex flex-col gap-6">
          <Panel title="Informações">
            <Facts>
              <Fact name="Cliente">
                {client ? (
                  <Link to={paths.adminClient(client.id)} className="text-primary hover:underline">
                    {client.fullName ?? client.email}
                  </Link>
                ) : (
                  'N/A'
                )}
              </Fact>
              <Fact name="Tipo">
                {type.toUpperCase() || 'N/A'}
                {document.size !== null && ` · ${formatSize(document.size)}`}
              </Fact>
              <Fact name="Data de Criação">{formatDate(document.created_at)}</Fact>
              <Fact name="Enviado em">{formatDate(document.uploaded_at)}</Fact>
            </Facts>
          </Panel>
          <DocumentForm document={document} unsent={file !== null} />
          {client && <ReplaceFile document={document} client={client} file={file} onFile={setFile} />}
        </div>
      </div>
    </>
  );
}
