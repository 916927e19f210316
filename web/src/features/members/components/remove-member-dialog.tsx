// Dialog that removes a person from a client.
import { type Member, memberKeys, removeMember } from '~/features/members/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type RemoveMemberDialogProps = {
  member: Member | null;
  /** Whether the person leaves. */
  isOwn: boolean;
  onClose: () => void;
  onLeft?: () => void;
};

export function RemoveMemberDialog({ member, isOwn, onClose, onLeft }: RemoveMemberDialogProps) {
  const removal = useApiMutation({
    mutationFn: removeMember,
    invalidates: isOwn ? [] : [memberKeys.all],
    successToast: { title: isOwn ? 'Você deixou o cliente' : 'Pessoa removida' },
    errorToast: { title: 'Erro ao remover', fallback: 'O servidor recusou a mudança.' },
    onSuccess: () => isOwn && onLeft?.(),
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      open={member !== null}
      onOpenChange={(wanted) => !wanted && onClose()}
      title={isOwn ? 'Deixar este cliente' : 'Remover pessoa'}
      description={
        member && (
          <p>
            {isOwn ? (
              'Você'
            ) : (
              <strong className="text-foreground font-medium wrap-anywhere">{member.name}</strong>
            )}{' '}
            deixa de ver os documentos, os tickets e as solicitações deste cliente na hora. Quem não acompanha
            nenhum outro cliente perde também o acesso ao portal.
          </p>
        )
      }
      confirm={isOwn ? 'Deixar' : 'Remover'}
      danger
      pending={removal.isPending}
      onConfirm={() => member && removal.mutate(member)}
    />
  );
}
