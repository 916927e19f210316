// Panel with the client's answer to a document that asks for one.
import { useState } from 'react';

import { useRights } from '~/features/auth/rights';
import type { AdminDocument } from '~/features/documents/api/admin-document';
import { approvalOf, outcomeLabels, withdrawApproval } from '~/features/documents/api/approvals';
import { documentKeys } from '~/features/documents/api/documents';
import { HelpLink } from '~/features/help/components/help-link';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ConfirmDialog } from '~/ui/confirm-dialog';

export function ApprovalPanel({ document }: { document: AdminDocument }) {
  const { mayWrite } = useRights();
  const answer = approvalOf(document);
  if (document.approval_request === null && !answer) return null;
  const asked = document.approval_request === 'approve' ? 'Aprovação pedida' : 'Ciente pedido';
  return (
    <Panel title="Resposta do cliente" action={<HelpLink to={paths.adminGuidePage('pedir-uma-resposta')} />}>
      <div className="flex flex-col items-start gap-2 p-5">
        {answer ? (
          <>
            <p className={answer.outcome === 'refused' ? 'text-danger font-medium' : 'font-medium'}>
              {outcomeLabels[answer.outcome]}
              <span className="text-muted-foreground block text-sm font-normal tabular-nums">
                {formatDateTime(answer.created_at)}
              </span>
            </p>
            {answer.reason !== null && (
              <p className="wrap-anywhere whitespace-pre-line">Motivo: {answer.reason}</p>
            )}
            {mayWrite && <AskAgain id={document.id} file={answer.file_url} />}
          </>
        ) : (
          <p>
            {asked}. <span className="text-muted-foreground">O cliente ainda não respondeu.</span>
          </p>
        )}
      </div>
    </Panel>
  );
}

/** Withdraws the answer, so that the client can give another one. */
function AskAgain({ id, file }: { id: string; file: string }) {
  const [asks, setAsks] = useState(false);
  const withdraw = useApiMutation({
    mutationFn: withdrawApproval,
    invalidates: [documentKeys.all],
    successToast: { title: 'Resposta desfeita' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível desfazer. Tente novamente.' },
  });
  return (
    <>
      <Button variant="quiet" className="-ml-4" onClick={() => setAsks(true)}>
        Pedir de novo
      </Button>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title="Desfazer a resposta do cliente?"
        description="O cliente pode responder outra vez. A resposta desfeita continua na linha do tempo."
        confirm="Pedir de novo"
        danger
        pending={withdraw.isPending}
        onConfirm={() => withdraw.mutate({ id, file })}
      />
    </>
  );
}
