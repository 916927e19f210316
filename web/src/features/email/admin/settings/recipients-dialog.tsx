// Confirmation dialog that lists the recipients of a settings change.
import { settingLabel } from '~/features/email/email-events';
import type { RecipientPreview } from '~/lib/api/database';
import { pluralize } from '~/lib/format';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type RecipientsDialogProps = {
  open: boolean;
  audience: readonly RecipientPreview[];
  pending: boolean;
  onCancel: () => void;
  onConfirm: () => void;
};

/** Shows the recipients before the change is saved, because sent e-mails cannot be recalled. */
export function RecipientsDialog({ open, audience, pending, onCancel, onConfirm }: RecipientsDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onCancel()}
      title="Quem receberá?"
      description={
        <>
          <p>Com esta mudança, o próximo envio da manhã já inclui documentos que estão no portal:</p>
          <ul className="mt-3 flex flex-col gap-3">
            {audience.map(({ setting, count, names }) => (
              <li key={setting} className="wrap-anywhere">
                <span className="text-foreground block font-medium">
                  {setting !== null && settingLabel(setting)}
                </span>
                {pluralize(count, 'e-mail', 'e-mails')}
                {names.length > 0 && `: ${listed(names, count)}`}
              </li>
            ))}
          </ul>
        </>
      }
      confirm="Salvar e enviar"
      pending={pending}
      onConfirm={onConfirm}
    />
  );
}

function listed(names: readonly string[], count: number): string {
  const more = count - names.length;
  return more > 0 ? `${names.join(', ')} e mais ${more}` : names.join(', ');
}
