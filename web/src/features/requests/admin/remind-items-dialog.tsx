// Dialog that mails reminders of items that clients did not answer.
import { RemindDialog } from '~/components/remind-dialog';
import { emailKeys } from '~/features/email/api/log';
import { remindItems } from '~/features/requests/api/admin-requests';
import { requestKeys } from '~/features/requests/api/requests';
import { formatInteger } from '~/lib/format';

type RemindItemsDialogProps = {
  open: boolean;
  /** Ids of the items. */
  ids: readonly string[];
  onClose: () => void;
};

export function RemindItemsDialog({ open, ids, onClose }: RemindItemsDialogProps) {
  return (
    <RemindDialog
      open={open}
      description={`${ids.length === 1 ? 'O cliente deste item será lembrado' : `Os clientes de ${formatInteger(ids.length)} itens serão lembrados`} por e-mail. Cada item é lembrado no máximo uma vez por dia.`}
      settled={['já respondido', 'já respondidos']}
      invalidates={[requestKeys.all, emailKeys.all]}
      remind={() => remindItems(ids)}
      onClose={onClose}
      onDone={onClose}
    />
  );
}
