import type { useInboxUpload } from '~/features/inbox/use-inbox-upload';
// Progress of uploads and of reading, and the files that could not be sent.
import { pluralize } from '~/lib/format';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { ProgressBar } from '~/ui/progress-bar';

type UploadStatusProps = { upload: ReturnType<typeof useInboxUpload>; reading: number };

export function UploadStatus({ upload, reading }: UploadStatusProps) {
  const { total, done, failed } = upload;
  return (
    <>
      {total > 0 && <ProgressBar label={`Enviando ${done} de ${total}`} value={done / total} />}
      {total === 0 && reading > 0 && (
        <p role="status" className="text-muted-foreground text-body tabular-nums">
          {`Lendo ${pluralize(reading, 'arquivo', 'arquivos')}…`}
        </p>
      )}
      {failed.length > 0 && (
        <Alert variant="danger">
          <p className="font-medium">
            {pluralize(failed.length, 'arquivo não foi enviado', 'arquivos não foram enviados')}
          </p>
          <ul className="mt-1 max-h-40 overflow-y-auto text-sm">
            {failed.map(({ file, reason }, at) => (
              <li key={`${file.name}-${at}`} className="wrap-anywhere">
                {file.name}: {reason}
              </li>
            ))}
          </ul>
          <div className="mt-2 flex gap-2">
            {failed.some(({ canRetry }) => canRetry) && (
              <Button variant="secondary" onClick={upload.retry}>
                Tentar de novo
              </Button>
            )}
            <Button variant="quiet" onClick={upload.dismiss}>
              Dispensar
            </Button>
          </div>
        </Alert>
      )}
    </>
  );
}
