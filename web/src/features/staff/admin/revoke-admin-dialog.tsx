// Dialog that revokes the administrator role.
import { activityKeys } from '~/features/activity/api';
import { clientKeys } from '~/features/clients/api/clients';
import { revokeAdmin, staffKeys, type StaffMember } from '~/features/staff/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type RevokeAdminDialogProps = { member: StaffMember | null; open: boolean; onClose: () => void };

export function RevokeAdminDialog({ member, open, onClose }: RevokeAdminDialogProps) {
  const removal = useApiMutation({
    mutationFn: revokeAdmin,
    invalidates: [staffKeys.all, clientKeys.all, activityKeys.all],
    successToast: { title: 'Papel de administrador retirado.' },
    errorToast: { title: 'Erro ao retirar papel', fallback: 'O servidor recusou a mudança.' },
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
            <strong className="text-foreground font-medium wrap-anywhere">
              {member.fullName ?? member.email}
            </strong>{' '}
            deixa de acessar o painel na hora e passa a ser um cliente comum. A conta continua existindo.
          </p>
        )
      }
      confirm="Retirar papel"
      danger
      pending={removal.isPending}
      onConfirm={() => member && removal.mutate(member)}
    />
  );
}
