// The invitation of a person who never signed in: its age, and buttons that send it again and withdraw it.
import { MailPlus, MailX } from 'lucide-react';
import { useState } from 'react';

import { activityKeys } from '~/features/activity/api';
import { sendInvitation, withdrawInvitation } from '~/features/auth/api/invitation';
import { describeInvitation } from '~/features/auth/invitation-text';
import { emailKeys } from '~/features/email/api/log';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { getErrorInfo } from '~/lib/api/errors';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type InvitationStatusProps = {
  person: { id: string; email: string; invitedAt: string | null };
  /** Query keys of the lists and pages that show the person. */
  affectedKeys: readonly (readonly unknown[])[];
};

export function InvitationStatus({ person: { id, email, invitedAt }, affectedKeys }: InvitationStatusProps) {
  const [isWithdrawing, setIsWithdrawing] = useState(false);
  const invalidates = [...affectedKeys, activityKeys.all, emailKeys.all];
  const sending = useApiMutation({
    mutationFn: sendInvitation,
    invalidates,
    successToast: {
      title: 'Convite enviado',
      description: `O convite para ${email} está na fila de e-mails.`,
    },
    errorToast: { title: 'Convite não enviado' },
  });
  const withdrawal = useApiMutation({
    mutationFn: withdrawInvitation,
    invalidates,
    successToast: { title: 'Convite retirado' },
    errorToast: { title: 'Erro ao retirar convite' },
    onSettled: () => setIsWithdrawing(false),
  });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted-foreground">{describe(invitedAt)}</p>
      {sending.error && getErrorInfo(sending.error).code === 'email_exists' && (
        <Alert variant="info">
          Esta conta já tem uma senha. Defina outra na edição, ou peça à pessoa que use “Primeiro acesso”.
        </Alert>
      )}
      <div className="flex flex-col gap-2">
        <Button
          variant="secondary"
          icon={<MailPlus size={18} aria-hidden />}
          pending={sending.isPending}
          onClick={() => sending.mutate(email)}
        >
          {invitedAt === null ? 'Enviar convite' : 'Enviar de novo'}
        </Button>
        {invitedAt !== null && (
          <Button
            variant="quiet-danger"
            icon={<MailX size={18} aria-hidden />}
            onClick={() => setIsWithdrawing(true)}
          >
            Retirar convite
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={isWithdrawing}
        onOpenChange={setIsWithdrawing}
        title="Retirar convite"
        description={`O link enviado a ${email} deixa de valer. A conta continua existindo e pode ser convidada de novo. Se o endereço estiver errado, corrija-o na edição: quem o recebe ainda poderia entrar por “Primeiro acesso”.`}
        confirm="Retirar convite"
        danger
        pending={withdrawal.isPending}
        onConfirm={() => withdrawal.mutate(id)}
      />
    </div>
  );
}

function describe(invitedAt: string | null): string {
  if (invitedAt === null) return 'Ainda não entrou no portal, e nenhum convite está aberto.';
  return describeInvitation(invitedAt);
}
