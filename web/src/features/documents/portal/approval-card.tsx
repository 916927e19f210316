// Card with which a client answers a document: an acknowledgement, an approval, or a refusal with its reason.
import { Check, CircleCheck, CircleX, X } from 'lucide-react';
import { useState } from 'react';

import {
  answerDocument,
  type Approval,
  type ApprovalOutcome,
  approvalOf,
  outcomeLabels,
} from '~/features/documents/api/approvals';
import { documentKeys, type DocumentDetail } from '~/features/documents/api/documents';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { registerErrorMessages } from '~/lib/api/error-messages';
import { getErrorInfo } from '~/lib/api/errors';
import { refetchChanged } from '~/lib/api/query-client';
import { formatDateTime } from '~/lib/dates';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { Textarea } from '~/ui/input';

registerErrorMessages({
  document_answered: 'Outra pessoa já deu outra resposta. Recarregue a página para ver qual.',
  document_replaced: 'O escritório trocou o arquivo. Leia o novo antes de responder.',
});

export function ApprovalCard({ document }: { document: DocumentDetail }) {
  const answer = approvalOf(document);
  return (
    <Panel title="Sua resposta" className="print:hidden">
      <div className="flex flex-col gap-4 p-5">
        {answer ? <Given answer={answer} /> : <Asked document={document} />}
      </div>
    </Panel>
  );
}

function Given({ answer }: { answer: Approval }) {
  const isRefusal = answer.outcome === 'refused';
  const Icon = isRefusal ? CircleX : CircleCheck;
  return (
    <div
      role="status"
      className={`flex gap-3 rounded px-4 py-3 ${isRefusal ? 'bg-danger-subtle' : 'bg-success-subtle'}`}
    >
      <Icon
        size={20}
        aria-hidden
        className={`mt-0.5 shrink-0 ${isRefusal ? 'text-danger' : 'text-success'}`}
      />
      <div className="min-w-0">
        <p>
          {outcomeLabels[answer.outcome]} em{' '}
          <span className="tabular-nums">{formatDateTime(answer.created_at)}</span>.
        </p>
        {answer.reason !== null && (
          <p className="mt-1 text-sm wrap-anywhere whitespace-pre-line">Motivo: {answer.reason}</p>
        )}
      </div>
    </div>
  );
}

function Asked({ document }: { document: DocumentDetail }) {
  const [dialog, setDialog] = useState<'approved' | 'refused'>();
  const [reason, setReason] = useState('');
  const answer = useApiMutation({
    mutationFn: answerDocument,
    invalidates: [documentKeys.all],
    successToast: { title: 'Resposta enviada', description: 'O escritório já a vê.' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível enviar a resposta. Tente novamente.' },
    // The file may have been replaced, or a colleague may have answered.
    onError(error) {
      void refetchChanged(documentKeys.all);
      // The next click in the dialog would answer about a file that was not read.
      if (getErrorInfo(error).code === 'document_replaced') setDialog(undefined);
    },
  });
  const send = (outcome: ApprovalOutcome, why?: string) =>
    answer.mutate({ document, outcome, ...(why !== undefined && { reason: why }) });
  if (document.approval_request === 'acknowledge') {
    return (
      <>
        <p>O escritório pede que você confirme a leitura deste documento.</p>
        <Button
          icon={<Check size={20} aria-hidden />}
          pending={answer.isPending}
          onClick={() => send('acknowledged')}
        >
          Ciente
        </Button>
      </>
    );
  }
  return (
    <>
      <p>O escritório espera a sua aprovação. Leia o documento antes de responder.</p>
      <div className="flex flex-col gap-2">
        <Button icon={<Check size={20} aria-hidden />} onClick={() => setDialog('approved')}>
          Aprovar
        </Button>
        <Button variant="secondary" icon={<X size={20} aria-hidden />} onClick={() => setDialog('refused')}>
          Recusar
        </Button>
      </div>
      {dialog && (
        <AnswerDialog
          outcome={dialog}
          name={document.name}
          pending={answer.isPending}
          reason={reason}
          onReason={setReason}
          onClose={() => setDialog(undefined)}
          onSend={(why) => send(dialog, why)}
        />
      )}
    </>
  );
}

type AnswerDialogProps = {
  outcome: 'approved' | 'refused';
  name: string;
  pending: boolean;
  reason: string;
  onReason: (reason: string) => void;
  onClose: () => void;
  onSend: (reason?: string) => void;
};

/** Asks before an answer, which a client cannot take back, and for the reason of a refusal. */
function AnswerDialog({ outcome, name, pending, reason, onReason, onClose, onSend }: AnswerDialogProps) {
  const [fault, setFault] = useState<string>();
  const isRefusal = outcome === 'refused';
  const submit = () => {
    if (!isRefusal) return onSend();
    if (reason.trim() === '') return setFault('Informe o motivo da recusa.');
    onSend(reason.trim());
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={isRefusal ? 'Recusar este documento?' : 'Aprovar este documento?'}
      description={name}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            Cancelar
          </Button>
          <Button variant={isRefusal ? 'danger' : 'primary'} pending={pending} onClick={submit}>
            {isRefusal ? 'Recusar' : 'Aprovar'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <p className="text-muted-foreground">
          A resposta fica registrada com o seu nome e a hora, e só o escritório pode reabri-la.
        </p>
        {isRefusal && (
          <Field label="Motivo" required error={fault}>
            {(aria) => (
              <Textarea
                {...aria}
                rows={4}
                maxLength={1000}
                value={reason}
                onChange={({ target }) => onReason(target.value)}
              />
            )}
          </Field>
        )}
      </div>
    </Dialog>
  );
}
