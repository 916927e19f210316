import { activityKeys } from '~/features/activity/api';
import { resetSecondStep, staffKeys, type StaffMember } from '~/features/staff/api';
import { useAction } from '~/hooks/use-api-mutation';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type ResetSecondStepDialogProps = { member: StaffMember | null; open: boolean; onClose: () => void };

export function ResetSecondStepDialog({ member, open, onClose }: ResetSecondStepDialogProps) {
  const reset = useAction({
    run: resetSecondStep,
    refreshes: [staffKeys.all, activityKeys.all],
    success: { title: 'Verificação em duas etapas redefinida.' },
    failure: { title: 'Erro ao redefinir verificação', fallback: 'O servidor recusou a mudança.' },
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
            <strong className="text-ink font-medium wrap-anywhere">{member.fullName ?? member.email}</strong>{' '}
            sai de todos os aparelhos e volta a entrar só com a senha. Faça isto apenas se a pessoa perdeu o
            celular e você tem certeza de que o pedido é dela.
          </p>
        )
      }
      confirm="Redefinir"
      danger
      pending={reset.pending}
      onConfirm={() => member && reset.run(member)}
    />
  );
}
