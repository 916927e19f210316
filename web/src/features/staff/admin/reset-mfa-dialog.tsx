// Dialog that resets the MFA of an administrator.
import { activityKeys } from '~/features/activity/api';
import { resetMfa, staffKeys, type StaffMember } from '~/features/staff/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type ResetMfaDialogProps = { member: StaffMember | null; open: boolean; onClose: () => void };

export function ResetMfaDialog({ member, open, onClose }: ResetMfaDialogProps) {
  const reset = useApiMutation({
    mutationFn: resetMfa,
    invalidates: [staffKeys.all, activityKeys.all],
    successToast: { title: 'Verificação em duas etapas redefinida.' },
    errorToast: { title: 'Erro ao redefinir verificação', fallback: 'O servidor recusou a mudança.' },
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onClose()}
      title="Redefinir verificação em duas etapas"
      description={
        member && (
          <p>
            <strong className="text-foreground font-medium wrap-anywhere">
              {member.fullName ?? member.email}
            </strong>{' '}
            sai de todos os aparelhos e volta a entrar só com a senha. Faça isto apenas se a pessoa perdeu o
            celular e você tem certeza de que o pedido é dela.
          </p>
        )
      }
      confirm="Redefinir"
      danger
      pending={reset.isPending}
      onConfirm={() => member && reset.mutate(member)}
    />
  );
}
