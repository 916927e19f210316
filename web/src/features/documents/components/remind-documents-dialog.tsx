// Dialog that mails reminders of documents that wait to be opened.
import { RemindDialog } from '~/components/remind-dialog';
import { documentKeys } from '~/features/documents/api/documents';
import { remindDocuments } from '~/features/documents/api/unopened';
import { emailKeys } from '~/features/email/api/log';
import { formatInteger } from '~/lib/format';

type RemindDocumentsDialogProps = {
  open: boolean;
  /** Ids of the documents. */
  ids: readonly string[];
  onClose: () => void;
  onDone: () => void;
};

export function RemindDocumentsDialog({ ids, ...rest }: RemindDocumentsDialogProps) {
  return (
    <RemindDialog
      {...rest}
      description={`${ids.length === 1 ? 'O cliente deste documento será lembrado' : `Os clientes de ${formatInteger(ids.length)} documentos serão lembrados`} por e-mail. Cada documento é lembrado no máximo uma vez por dia.`}
      settled={['já aberto ou entregue', 'já abertos ou entregues']}
      invalidates={[documentKeys.all, emailKeys.all]}
      remind={() => remindDocuments(ids)}
    />
  );
}
