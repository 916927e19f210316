import { RefreshCw, ShieldOff } from 'lucide-react';
import { useState } from 'react';

import { activityKeys } from '~/features/activity/api';
import { newCodesOnPaper, removeSecondStep, type SecondStep, secondStepKeys } from '~/features/auth/api/mfa';
import { staffKeys } from '~/features/staff/api';
import { useAction } from '~/hooks/use-api-mutation';
import { config } from '~/lib/api/server-config';
import { formatDateTime } from '~/lib/dates';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Fact, Facts } from '~/ui/description-list';

type SecondStepOnProps = { step: SecondStep; onCodes: (codes: string[]) => void };

type Question = 'codes' | 'remove' | null;

/** What is in force, and the two ways to change it. Both are asked about first. */
export function SecondStepOn({ step, onCodes }: SecondStepOnProps) {
  const [asking, setAsking] = useState<Question>(null);
  const hasCodes = step.codesLeft !== null;
  const close = () => setAsking(null);
  const codes = useAction({
    run: () => newCodesOnPaper(hasCodes),
    refreshes: [secondStepKeys.all, activityKeys.all],
    success: { title: 'Códigos de recuperação gerados.' },
    failure: { title: 'Erro ao gerar códigos', fallback: 'O servidor não gerou os códigos.' },
    onSuccess: onCodes,
    onSettled: close,
  });
  const removal = useAction({
    run: () => removeSecondStep(step),
    refreshes: [secondStepKeys.all, staffKeys.all, activityKeys.all],
    success: { title: 'Verificação em duas etapas desligada.' },
    failure: { title: 'Erro ao desligar verificação', fallback: 'O servidor recusou a mudança.' },
    onSettled: close,
  });
  return (
    <>
      <Facts>
        <Fact name="Situação">
          <Badge tone="open">Ligada</Badge>
        </Fact>
        <Fact name="Desde">{formatDateTime(step.since)}</Fact>
        <Fact name="Códigos de recuperação">{remaining(step.codesLeft)}</Fact>
      </Facts>
      <div className="border-hairline flex flex-wrap gap-2 border-t p-5">
        <Button
          variant="secondary"
          icon={<RefreshCw size={18} aria-hidden />}
          pending={codes.pending}
          onClick={() => (hasCodes ? setAsking('codes') : codes.run())}
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
        pending={codes.pending}
        onConfirm={() => codes.run()}
      />
      <ConfirmDialog
        open={asking === 'remove'}
        onOpenChange={(wanted) => !wanted && close()}
        title="Desligar a verificação em duas etapas?"
        description={
          config().require_second_step
            ? 'O escritório pede a verificação de todos os administradores: você precisará ligá-la de novo para continuar usando o painel.'
            : 'O painel volta a pedir só a senha, e os códigos de recuperação deixam de valer.'
        }
        confirm="Desligar"
        danger
        pending={removal.pending}
        onConfirm={() => removal.run()}
      />
    </>
  );
}

function remaining(left: number | null): string {
  if (left === null) return 'Nenhum gerado';
  if (left === 0) return 'Todos foram usados';
  return left === 1 ? 'Resta 1' : `Restam ${left}`;
}
