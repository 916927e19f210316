// Download and print actions of a document, with its read receipts.
import { useEffect, useState } from 'react';

import type { DocumentDetail } from '~/features/documents/api/documents';
import { downloadFile, fileQuery } from '~/features/documents/api/files';
import { recordReadReceipt, unreadKeys } from '~/features/documents/api/read-receipts';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { queryClient } from '~/lib/api/query-client';
import { downloadFileName } from '~/lib/files/file-name';
import type { ToastMessage } from '~/lib/toast';
import { fileKind } from '~/ui/file-icon';

type Progress = { page: number; pages: number };

/** Returns the actions and the progress of the print preparation. */
export function useDocumentActions(document: DocumentDetail) {
  const [printing, setPrinting] = useState<Progress | null>(null);
  // The file of a pending document is not accessible.
  const path = document.status === 'pending' ? null : document.file_url;
  const documentId = document.id;
  const kind = path === null ? null : fileKind(document.type, path);

  // Failures are not reported to the client.
  const { mutate: record } = useApiMutation({
    mutationFn: recordReadReceipt,
    retry: 3,
    invalidates: [unreadKeys.folders, unreadKeys.counts],
  });
  // Records one receipt per opening. A document without a file has no receipt.
  useEffect(() => {
    if (path !== null) record({ documentId, action: 'opened' });
  }, [record, documentId, path]);

  const download = useApiMutation({
    async mutationFn() {
      if (path === null) throw new FileMissing(document.status);
      await downloadFile({ path, name: downloadFileName(document) });
      record({ documentId, action: 'downloaded' });
    },
    errorToast: {
      title: 'Arquivo não disponível',
      fallback: 'Não foi possível baixar o arquivo. Tente novamente.',
    },
  });

  const print = useApiMutation({
    async mutationFn(): Promise<ToastMessage | null> {
      if (path === null) throw new FileMissing(document.status);
      switch (fileKind(document.type, path)) {
        case 'pdf': {
          const [{ pagesForPrint }, { printImages }, file] = await Promise.all([
            import('~/features/documents/viewer/pdf'),
            import('./print-images'),
            queryClient.ensureQueryData(fileQuery(path)),
          ]);
          await printImages(await pagesForPrint(file, (page, pages) => setPrinting({ page, pages })));
          return null;
        }
        case 'image': {
          const { printImages } = await import('./print-images');
          await printImages({ images: [await queryClient.ensureQueryData(fileQuery(path))] });
          return null;
        }
        case 'word':
        case 'sheet':
        case 'text':
        case 'other':
          await downloadFile({ path, name: downloadFileName(document) });
          record({ documentId, action: 'downloaded' });
          return {
            title: 'Arquivo baixado para impressão',
            description:
              'O navegador não imprime este tipo de arquivo. Abra o arquivo baixado para imprimir.',
          };
      }
    },
    successToast: (note) => note,
    errorToast: {
      title: 'Arquivo não disponível',
      fallback: 'Não foi possível imprimir o arquivo. Tente novamente.',
    },
    onSettled: () => setPrinting(null),
  });

  /** Whether the browser prints the file, instead of a download. */
  const isPrintable = kind === 'pdf' || kind === 'image';
  return { path, isPrintable, download, print, printing };
}

/** The document has no file, or the file is not released yet. */
class FileMissing extends Error {
  readonly code: string;

  constructor(status: string) {
    super();
    this.code = status === 'pending' ? 'file_pending' : 'NoSuchKey';
  }
}
