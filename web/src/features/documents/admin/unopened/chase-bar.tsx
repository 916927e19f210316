// The bar below the list: reminders and deliveries of the selected documents.
import { MailCheck, PackageCheck } from 'lucide-react';
import { useState } from 'react';

import { documentKeys } from '~/features/documents/api/documents';
import { type ReminderCounts, remindDocuments } from '~/features/documents/api/unopened';
import { emailKeys } from '~/features/email/api/log';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { pluralize } from '~/lib/format';
import type { ToastMessage } from '~/lib/toast';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { DeliveryDialog } from './delivery-dialog';

type ChaseBarProps = { selected: readonly string[]; onClear: () => void };

export function ChaseBar({ selected, onClear }: ChaseBarProps) {
  const [asks, setAsks] = useState<'reminder' | 'delivery' | null>(null);
  const close = () => setAsks(null);
  const reminder = useApiMutation({
    mutationFn: remindDocuments,
    invalidates: [documentKeys.all, emailKeys.all],
    successToast: reminderToast,
    errorToast: { title: 'Erro ao enviar lembretes' },
    onSettled: close,
    onSuccessIfMounted: onClear,
  });
  return (
    <div className="border-border bg-card sticky bottom-0 z-10 -mx-4 mt-5 flex flex-wrap items-center gap-3 border-t px-4 py-3 sm:mx-0 sm:rounded sm:border">
      <p role="status" className="text-body flex min-h-11 items-center tabular-nums">
        {pluralize(selected.length, 'selecionado', 'selecionados')}
      </p>
      <Button variant="quiet" onClick={onClear}>
        Limpar seleção
      </Button>
      <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:flex-col sm:ml-auto">
        <Button
          variant="secondary"
          icon={<PackageCheck size={20} aria-hidden />}
          onClick={() => setAsks('delivery')}
        >
          Marcar como entregue
        </Button>
        <Button icon={<MailCheck size={20} aria-hidden />} onClick={() => setAsks('reminder')}>
          Lembrar
        </Button>
      </div>
      <ConfirmDialog
        open={asks === 'reminder'}
        onOpenChange={(open) => !open && close()}
        title="Enviar lembretes"
        description={`${pluralize(selected.length, 'documento será lembrado', 'documentos serão lembrados')} por e-mail. Cada documento é lembrado no máximo uma vez por dia.`}
        confirm="Lembrar"
        pending={reminder.isPending}
        onConfirm={() => reminder.mutate(selected)}
      />
      {asks === 'delivery' && (
        <DeliveryDialog
          ids={selected}
          onClose={close}
          onDone={() => {
            close();
            onClear();
          }}
        />
      )}
    </div>
  );
}

function reminderToast({ reminded, repeated, unreachable, settled }: ReminderCounts): ToastMessage {
  const others = [
    repeated > 0 && pluralize(repeated, 'já lembrado hoje', 'já lembrados hoje'),
    unreachable > 0 && pluralize(unreachable, 'sem e-mail de avisos', 'sem e-mail de avisos'),
    settled > 0 && pluralize(settled, 'já aberto ou entregue', 'já abertos ou entregues'),
  ].filter((text) => text !== false);
  return {
    title:
      reminded === 0
        ? 'Nenhum lembrete novo'
        : pluralize(reminded, 'lembrete na fila de e-mails', 'lembretes na fila de e-mails'),
    ...(others.length > 0 && { description: others.join(' · ') }),
  };
}
