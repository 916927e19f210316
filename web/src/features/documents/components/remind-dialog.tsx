// Dialog that mails reminders of documents that wait to be opened.
import { documentKeys } from '~/features/documents/api/documents';
import { type ReminderCounts, remindDocuments } from '~/features/documents/api/unopened';
import { emailKeys } from '~/features/email/api/log';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatInteger, pluralize } from '~/lib/format';
import type { ToastMessage } from '~/lib/toast';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type RemindDialogProps = {
  open: boolean;
  /** Ids of the documents. */
  ids: readonly string[];
  onClose: () => void;
  onDone: () => void;
};

export function RemindDialog({ open, ids, onClose, onDone }: RemindDialogProps) {
  const reminder = useApiMutation({
    mutationFn: remindDocuments,
    invalidates: [documentKeys.all, emailKeys.all],
    successToast: reminderToast,
    errorToast: { title: 'Erro ao enviar lembretes' },
    onSettled: onClose,
    onSuccessIfMounted: onDone,
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onClose()}
      title="Enviar lembretes"
      description={`${ids.length === 1 ? 'O cliente deste documento será lembrado' : `Os clientes de ${formatInteger(ids.length)} documentos serão lembrados`} por e-mail. Cada documento é lembrado no máximo uma vez por dia.`}
      confirm="Lembrar"
      pending={reminder.isPending}
      onConfirm={() => reminder.mutate(ids)}
    />
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
