// Progress of uploads and of reading, and the files that could not be sent.
import type { useInboxUpload } from '~/features/inbox/use-inbox-upload';
import { formatInteger, pluralize } from '~/lib/format';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { ProgressBar } from '~/ui/progress-bar';

/** Number of files above which the page says that all are taken. */
const MANY_FILES = 1000;

type UploadStatusProps = { upload: ReturnType<typeof useInboxUpload>; reading: number };

export function UploadStatus({ upload, reading }: UploadStatusProps) {
  const { total, done, fraction, isWaiting, failed } = upload;
  return (
    <>
      {total > 0 && (
        <div>
          <ProgressBar
            label={`Enviando ${formatInteger(done)} de ${formatInteger(total)}`}
            value={(done + fraction) / total}
          />
          {total > MANY_FILES && (
            <p className="text-muted-foreground mt-2 text-sm">
              {`São ${formatInteger(total)} arquivos, e todos serão enviados, alguns de cada vez. Deixe esta aba aberta até o fim; você pode usar outras páginas do painel.`}
            </p>
          )}
          <p role="status" className="text-warning mt-2 text-sm empty:mt-0">
            {isWaiting && 'Sem conexão. O envio continua de onde parou quando a rede voltar.'}
          </p>
        </div>
      )}
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
