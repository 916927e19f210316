// Card with the state of the SMTP configuration and of the e-mail queue.
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, RefreshCw } from 'lucide-react';
import { Fragment } from 'react';

import { useRights } from '~/features/auth/rights';
import { isStuck, smtpStatusQuery } from '~/features/email/api/log';
import type { SmtpStatus as Status } from '~/lib/api/database';
import { formatDateTime } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { cn } from '~/ui/cn';
import { Skeleton } from '~/ui/skeleton';

export function SmtpStatusCard({ className }: { className?: string }) {
  const status = useQuery(smtpStatusQuery());
  return (
    <Card className={className}>
      <section aria-label="Envio de e-mails" className="text-body flex min-h-18 items-start gap-3 px-5 py-4">
        {status.isPending && <Skeleton className="h-10 w-full max-w-md" />}
        {status.isError && (
          <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-1">
            Não foi possível saber se o envio está configurado.
            <Button
              variant="quiet"
              icon={<RefreshCw size={18} aria-hidden />}
              onClick={() => void status.refetch()}
            >
              Tentar novamente
            </Button>
          </div>
        )}
        {status.data && <StatusLines status={status.data} />}
      </section>
    </Card>
  );
}

function StatusLines({ status }: { status: Status }) {
  const { isAdministrator } = useRights();
  const { configured, sender, server, waiting, failed, last_error, last_sent_at } = status;
  const isDown = configured && last_error !== null;
  const stuck = isStuck(status);
  const isSending = configured && !isDown && !stuck;
  const facts = [
    isAdministrator && sender !== null && `Remetente: ${sender}`,
    isAdministrator && server !== null && `Servidor: ${server}`,
    last_sent_at !== null && `Último envio: ${formatDateTime(last_sent_at)}`,
    waiting > 0 && pluralize(waiting, 'e-mail na fila', 'e-mails na fila'),
    failed > 0 && pluralize(failed, 'e-mail falhou', 'e-mails falharam'),
  ].filter((fact) => fact !== false);
  return (
    <>
      {isSending ? (
        <CircleCheck size={20} aria-hidden className="text-success mt-px shrink-0" />
      ) : (
        <CircleAlert
          size={20}
          aria-hidden
          className={cn('mt-px shrink-0', isDown && isAdministrator ? 'text-danger' : 'text-warning')}
        />
      )}
      <div className="min-w-0 wrap-anywhere">
        <p className="font-medium">
          {isAdministrator ? titleOf(configured, isDown, stuck) : staffTitleOf(isSending)}
        </p>
        {!configured && isAdministrator && (
          <p className="text-muted-foreground text-sm">
            Os e-mails ficam guardados na fila, e saem assim que o envio for configurado no servidor.
          </p>
        )}
        {facts.length > 0 && (
          <p className="text-muted-foreground text-sm tabular-nums">
            {facts.map((fact, at) => (
              <Fragment key={fact}>
                {at > 0 && ' · '}
                <span className="inline-block">{fact}</span>
              </Fragment>
            ))}
          </p>
        )}
        {isDown && isAdministrator && <p className="text-danger mt-1 text-sm">Última falha: {last_error}</p>}
        {configured && stuck && (
          <p className="text-muted-foreground text-sm">
            O que espera sai sozinho quando o servidor aceitar, com novas tentativas por até dois dias.
          </p>
        )}
      </div>
    </>
  );
}

function titleOf(configured: boolean, isDown: boolean, stuck: boolean): string {
  if (!configured) return 'SMTP não configurado';
  if (isDown) return 'SMTP configurado, mas o servidor não está enviando';
  return stuck ? 'SMTP configurado, mas há e-mails parados na fila' : 'SMTP configurado';
}

/** Other members of the staff cannot act on the reason. */
function staffTitleOf(isSending: boolean): string {
  return isSending ? 'Os e-mails estão saindo' : 'Os e-mails não estão saindo agora';
}
