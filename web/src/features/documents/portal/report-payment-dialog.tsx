// Dialog in which a client reports a payment: the day, and optionally the receipt.
import { useState } from 'react';

import { documentKeys, type DocumentDetail } from '~/features/documents/api/documents';
import { reportPayment, sendPaymentReceipt } from '~/features/documents/api/payments';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { serverConfig } from '~/lib/api/server-config';
import { parseDay, today } from '~/lib/dates';
import { formatSizeLimit, validateFile } from '~/lib/files/validate-file';
import { randomUuid } from '~/lib/uuid';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { FileInput } from '~/ui/file-input';
import { Input } from '~/ui/input';

type ReportPaymentDialogProps = { document: DocumentDetail; open: boolean; onClose: () => void };

export function ReportPaymentDialog({ document, open, onClose }: ReportPaymentDialogProps) {
  const limit = serverConfig().max_upload_bytes;
  const [day, setDay] = useState(today);
  const [dayFault, setDayFault] = useState<string>();
  const [file, setFile] = useState<File | null>(null);
  const [fileFault, setFileFault] = useState<string>();
  const [keys] = useState(() => ({ ticket: randomUuid(), message: randomUuid() }));
  const report = useApiMutation({
    mutationFn: reportPayment,
    invalidates: [documentKeys.all],
    successToast: { title: 'Pagamento informado', description: 'O escritório já vê que você pagou.' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível informar o pagamento. Tente novamente.' },
    onSuccess: onClose,
  });
  const send = useApiMutation({
    mutationFn: sendPaymentReceipt,
    invalidates: [ticketKeys.all],
    errorToast: {
      title: 'O comprovante não foi enviado',
      fallback: 'Tente novamente, ou informe o pagamento sem ele.',
    },
    onSuccess: (_, { document: paid, paidOn }) => report.mutate({ documentId: paid.id, paidOn }),
  });
  const isPending = report.isPending || send.isPending;
  const submit = () => {
    const paidOn = parseDay(day);
    if (paidOn === undefined) return setDayFault('Informe a data do pagamento.');
    if (paidOn > today()) return setDayFault('A data do pagamento está no futuro.');
    if (file) send.mutate({ document, paidOn, file, keys });
    else report.mutate({ documentId: document.id, paidOn });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="Já paguei"
      description={document.name}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            Cancelar
          </Button>
          <Button pending={isPending} onClick={submit}>
            Informar pagamento
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <Field label="Data do pagamento" required error={dayFault}>
          {(control) => (
            <Input
              {...control}
              type="date"
              min="2000-01-01"
              max={today()}
              value={day}
              onChange={({ target }) => {
                setDay(target.value);
                setDayFault(undefined);
              }}
            />
          )}
        </Field>
        <Field
          label="Comprovante (Opcional)"
          error={fileFault}
          hint="O comprovante segue em um ticket, que você acompanha em Tickets."
        >
          {(control) => (
            <FileInput
              {...control}
              file={file}
              hint={`Até ${formatSizeLimit(limit)}`}
              disabled={isPending}
              onChoose={(chosen) => {
                const fault = validateFile(chosen, limit);
                setFileFault(fault ?? undefined);
                setFile(fault ? null : chosen);
              }}
              onRefuse={setFileFault}
              onRemove={() => setFile(null)}
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
