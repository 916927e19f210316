import { activityKeys } from '~/features/activity/api';
import { clientKeys } from '~/features/clients/api/clients';
import { removeRole, staffKeys, type StaffMember } from '~/features/staff/api';
import { useAction } from '~/hooks/use-api-mutation';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type RemoveRoleDialogProps = { member: StaffMember | null; open: boolean; onClose: () => void };

export function RemoveRoleDialog({ member, open, onClose }: RemoveRoleDialogProps) {
  const removal = useAction({
    run: removeRole,
    refreshes: [staffKeys.all, clientKeys.all, activityKeys.all],
    success: { title: 'Papel de administrador retirado.' },
    failure: { title: 'Erro ao retirar papel', fallback: 'O servidor recusou a mudança.' },
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onClose()}
      title="Retirar papel de administrador"
      description={
        member && (
          <p>
            <strong className="text-ink font-medium wrap-anywhere">{member.fullName ?? member.email}</strong>{' '}
            deixa de acessar o painel na hora e passa a ser um cliente comum. A conta continua existindo.
          </p>
        )
      }
      confirm="Retirar papel"
      danger
      pending={removal.pending}
      onConfirm={() => member && removal.run(member)}
    />
  );
}
