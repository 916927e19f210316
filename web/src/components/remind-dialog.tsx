// Dialog that mails reminders to clients, of documents to open or of items to answer.
import type { QueryKey } from '@tanstack/react-query';

import { useApiMutation } from '~/hooks/use-api-mutation';
import type { ReminderCounts } from '~/lib/api/database';
import { pluralize } from '~/lib/format';
import type { ToastMessage } from '~/lib/toast';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type RemindDialogProps = {
  open: boolean;
  /** The people who are reminded, and of what. */
  description: string;
  /** Singular and plural of what waits no more. */
  settled: readonly [string, string];
  invalidates: readonly QueryKey[];
  remind: () => Promise<ReminderCounts>;
  onClose: () => void;
  onDone: () => void;
};

export function RemindDialog({
  open,
  description,
  settled,
  invalidates,
  remind,
  onClose,
  onDone,
}: RemindDialogProps) {
  const reminder = useApiMutation({
    mutationFn: remind,
    invalidates: [...invalidates],
    successToast: (counts) => reminderToast(counts, settled),
    errorToast: { title: 'Erro ao enviar lembretes' },
    onSettled: onClose,
    onSuccessIfMounted: onDone,
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onClose()}
      title="Enviar lembretes"
      description={description}
      confirm="Lembrar"
      pending={reminder.isPending}
      onConfirm={() => reminder.mutate()}
    />
  );
}

function reminderToast(counts: ReminderCounts, settledNames: readonly [string, string]): ToastMessage {
  const { reminded, repeated, unreachable, settled } = counts;
  const others = [
    repeated > 0 && pluralize(repeated, 'já lembrado hoje', 'já lembrados hoje'),
    unreachable > 0 && pluralize(unreachable, 'sem e-mail de avisos', 'sem e-mail de avisos'),
    settled > 0 && pluralize(settled, ...settledNames),
  ].filter((text) => text !== false);
  return {
    title:
      reminded === 0
        ? 'Nenhum lembrete novo'
        : pluralize(reminded, 'lembrete na fila de e-mails', 'lembretes na fila de e-mails'),
    ...(others.length > 0 && { description: others.join(' · ') }),
  };
}
