// MFA settings of a person with an enrolled factor.
import type { QueryKey } from '@tanstack/react-query';
import { RefreshCw, ShieldOff } from 'lucide-react';
import { useState } from 'react';

import { generateRecoveryCodes, disableMfa, type MfaStatus, mfaKeys } from '~/features/auth/api/mfa';
import { useUser } from '~/features/auth/session';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { serverConfig } from '~/lib/api/server-config';
import { formatDateTime } from '~/lib/dates';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';

type MfaEnabledProps = {
  step: MfaStatus;
  /** Queries of the area that depend on MFA. */
  affectedKeys: readonly QueryKey[];
  onCodes: (codes: string[]) => void;
};

type Question = 'codes' | 'remove' | null;

/**
 * State of the MFA factor, with the actions to disable it and to replace the recovery codes. Both ask for confirmation.
 */
export function MfaEnabled({ step, affectedKeys, onCodes }: MfaEnabledProps) {
  const { isAdmin } = useUser();
  const [asking, setAsking] = useState<Question>(null);
  const hasCodes = step.recoveryCodesLeft !== null;
  const close = () => setAsking(null);
  const codes = useApiMutation({
    mutationFn: () => generateRecoveryCodes(hasCodes),
    invalidates: [mfaKeys.all, ...affectedKeys],
    successToast: { title: 'Códigos de recuperação gerados.' },
    errorToast: { title: 'Erro ao gerar códigos', fallback: 'O servidor não gerou os códigos.' },
    onSuccess: onCodes,
    onSettled: close,
  });
  const removal = useApiMutation({
    mutationFn: disableMfa,
    invalidates: [mfaKeys.all, ...affectedKeys],
    successToast: { title: 'Verificação em duas etapas desligada.' },
    errorToast: { title: 'Erro ao desligar verificação', fallback: 'O servidor recusou a mudança.' },
    onSettled: close,
  });
  return (
    <>
      <DescriptionList>
        <DescriptionItem term="Situação">
          <Badge tone="success">Ligada</Badge>
        </DescriptionItem>
        <DescriptionItem term="Desde">{formatDateTime(step.since)}</DescriptionItem>
        <DescriptionItem term="Códigos de recuperação">{remaining(step.recoveryCodesLeft)}</DescriptionItem>
      </DescriptionList>
      <div className="border-border flex flex-wrap gap-2 border-t p-5">
        <Button
          variant="secondary"
          icon={<RefreshCw size={18} aria-hidden />}
          pending={codes.isPending}
          onClick={() => (hasCodes ? setAsking('codes') : codes.mutate())}
        >
          {hasCodes ? 'Gerar novos códigos' : 'Gerar códigos de recuperação'}
        </Button>
        <Button
          variant="quiet-danger"
          icon={<ShieldOff size={18} aria-hidden />}
          onClick={() => setAsking('remove')}
        >
          Desligar
        </Button>
      </div>
      <ConfirmDialog
        open={asking === 'codes'}
        onOpenChange={(wanted) => !wanted && close()}
        title="Gerar novos códigos?"
        description="Os códigos que você guardou antes deixam de valer na hora."
        confirm="Gerar novos códigos"
        pending={codes.isPending}
        onConfirm={() => codes.mutate()}
      />
      <ConfirmDialog
        open={asking === 'remove'}
        onOpenChange={(wanted) => !wanted && close()}
        title="Desligar a verificação em duas etapas?"
        description={
          isAdmin && serverConfig().require_second_step
            ? 'O escritório pede a verificação de todos os administradores: você precisará ligá-la de novo para continuar usando o painel.'
            : `O ${isAdmin ? 'painel' : 'portal'} volta a pedir só a senha, e os códigos de recuperação deixam de valer.`
        }
        confirm="Desligar"
        danger
        pending={removal.isPending}
        onConfirm={() => removal.mutate()}
      />
    </>
  );
}

function remaining(left: number | null): string {
  if (left === null) return 'Nenhum gerado';
  if (left === 0) return 'Todos foram usados';
  return left === 1 ? 'Resta 1' : `Restam ${left}`;
}
