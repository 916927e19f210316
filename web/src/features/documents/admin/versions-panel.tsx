// Panel with the earlier files of a document: download, restore, and removal for good.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { useRights } from '~/features/auth/rights';
import type { AdminDocument } from '~/features/documents/api/admin-document';
import { documentKeys } from '~/features/documents/api/documents';
import { downloadFile } from '~/features/documents/api/files';
import {
  deleteVersion,
  type DocumentVersion,
  restoreVersion,
  versionsQuery,
} from '~/features/documents/api/versions';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { downloadFileName } from '~/lib/files/file-name';
import { formatSize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ConfirmDialog } from '~/ui/confirm-dialog';

/** Nothing for a document whose file was never replaced. */
export function VersionsPanel({ document }: { document: AdminDocument }) {
  const { data: versions = [] } = useQuery(versionsQuery(document.id));
  if (versions.length === 0) return null;
  return (
    <Panel title="Versões">
      <p className="text-muted-foreground px-5 pt-5 text-sm">
        Arquivos anteriores, até 20. O cliente só vê o atual.
      </p>
      <ul aria-label="Versões" className="divide-border flex flex-col divide-y px-5 py-2">
        {versions.map((version) => (
          <VersionItem key={version.id} version={version} document={document} />
        ))}
      </ul>
    </Panel>
  );
}

type VersionItemProps = { version: DocumentVersion; document: AdminDocument };

function VersionItem({ version, document }: VersionItemProps) {
  const { mayWrite } = useRights();
  const [asks, setAsks] = useState<'restore' | 'delete' | null>(null);
  const close = () => setAsks(null);
  const moment = formatDateTime(version.uploaded_at);
  const download = useApiMutation({
    async mutationFn() {
      const { file_url: path } = version;
      const name = downloadFileName({ name: document.name, type: '', file_url: path });
      await downloadFile({ path, name, bucket: 'document-versions' });
    },
    errorToast: { title: 'Arquivo não disponível' },
  });
  const restoration = useApiMutation({
    mutationFn: restoreVersion,
    invalidates: [documentKeys.all],
    successToast: { title: 'Versão restaurada' },
    errorToast: { title: 'Erro ao restaurar a versão' },
    onSettled: close,
  });
  const removal = useApiMutation({
    mutationFn: deleteVersion,
    invalidates: [documentKeys.all],
    successToast: { title: 'Versão apagada' },
    errorToast: { title: 'Erro ao apagar a versão' },
    onSettled: close,
  });
  return (
    <li className="py-3">
      <p className="font-medium wrap-anywhere">{version.name}</p>
      <p className="text-muted-foreground text-sm tabular-nums">
        {`Enviado em ${moment} · ${formatSize(version.size)}`}
        <span className="block">
          {`Substituído em ${formatDateTime(version.replaced_at)}`}
          {version.replacedBy !== null && ` por ${version.replacedBy}`}
        </span>
        <span className="block truncate" title={`SHA-256: ${version.sha256}`}>
          {`SHA-256: ${version.sha256}`}
        </span>
      </p>
      <div className="mt-1 -ml-4 flex flex-wrap">
        <Button
          variant="quiet"
          aria-label={`Baixar versão de ${moment}`}
          pending={download.isPending}
          onClick={() => download.mutate()}
        >
          Baixar
        </Button>
        {mayWrite && (
          <>
            <Button
              variant="quiet"
              aria-label={`Restaurar versão de ${moment}`}
              onClick={() => setAsks('restore')}
            >
              Restaurar
            </Button>
            <Button
              variant="quiet-danger"
              aria-label={`Apagar versão de ${moment}`}
              onClick={() => setAsks('delete')}
            >
              Apagar
            </Button>
          </>
        )}
      </div>
      <ConfirmDialog
        open={asks === 'restore'}
        onOpenChange={close}
        title="Restaurar esta versão?"
        description={
          document.approval_request === null
            ? 'Ela passa a ser o arquivo que o cliente vê. O arquivo atual fica nas versões.'
            : 'Ela passa a ser o arquivo que o cliente vê, e a resposta é pedida de novo. O arquivo atual fica nas versões.'
        }
        confirm="Restaurar"
        pending={restoration.isPending}
        onConfirm={() => restoration.mutate(version)}
      />
      <ConfirmDialog
        open={asks === 'delete'}
        onOpenChange={close}
        title="Apagar esta versão?"
        description={`O arquivo enviado em ${moment} será apagado. Esta ação não pode ser desfeita.`}
        confirm="Apagar"
        danger
        pending={removal.isPending}
        onConfirm={() => removal.mutate(version)}
      />
    </li>
  );
}
