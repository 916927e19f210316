// Dialog with which an administrator resets the MFA of another person.
import { activityKeys } from '~/features/activity/api';
import { accountMfaKeys, resetMfa } from '~/features/auth/api/mfa-admin';
import { staffKeys } from '~/features/staff/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type ResetMfaDialogProps = {
  person: { id: string; email: string; fullName: string | null } | null;
  open: boolean;
  onClose: () => void;
};

export function ResetMfaDialog({ person, open, onClose }: ResetMfaDialogProps) {
  const reset = useApiMutation({
    mutationFn: resetMfa,
    invalidates: [staffKeys.all, accountMfaKeys.all, activityKeys.all],
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
        person && (
          <p>
            <strong className="text-foreground font-medium wrap-anywhere">
              {person.fullName ?? person.email}
            </strong>{' '}
            sai de todos os aparelhos, perde as chaves de acesso e volta a entrar só com a senha. Faça isto
            apenas se a pessoa perdeu o celular e você tem certeza de que o pedido é dela.
          </p>
        )
      }
      confirm="Redefinir"
      danger
      pending={reset.isPending}
      onConfirm={() => person && reset.mutate(person)}
    />
  );
}
