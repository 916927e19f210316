// Card of the dashboard with the first steps of an office.
import { ArrowRight, Circle, CircleCheck } from 'lucide-react';
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { useUser } from '~/features/auth/session';
import {
  areFirstStepsDismissed,
  dismissFirstSteps,
  useSkippedSteps,
} from '~/features/first-steps/skipped-steps';
import { findDoneSteps, stepIds, stepTitles } from '~/features/first-steps/steps';
import { useOfficeState } from '~/features/first-steps/use-office-state';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';

/** Shows nothing once the office has clients, all steps are done or skipped, or the person dismissed it. */
export function FirstStepsCard() {
  const { id: owner } = useUser();
  const office = useOfficeState();
  const [isDismissed, setDismissed] = useState(() => areFirstStepsDismissed(owner));
  const [skipped] = useSkippedSteps(owner);
  const done = findDoneSteps(office);
  const isOver = stepIds.every((id) => done.has(id) || skipped.has(id));
  if (isDismissed || isOver || office.clientCount !== 0) return null;
  const dismiss = () => {
    dismissFirstSteps(owner);
    setDismissed(true);
    toast({ title: 'Primeiros passos dispensados', description: 'Continuam em Configurações.' });
  };
  return (
    <Panel title="Primeiros passos" className="mb-6">
      <div className="flex flex-col gap-4 p-5 sm:flex-row sm:items-center sm:justify-between">
        <div className="min-w-0">
          <p>Quatro passos deixam o portal pronto para os seus clientes.</p>
          <ul aria-label="Primeiros passos" className="mt-3 flex flex-wrap gap-x-6 gap-y-2 text-sm">
            {stepIds.map((id) => (
              <li key={id} className="flex items-center gap-2">
                {done.has(id) ? (
                  <CircleCheck size={18} aria-hidden className="text-success shrink-0" />
                ) : (
                  <Circle size={18} aria-hidden className="text-muted-foreground shrink-0" />
                )}
                {stepTitles[id]}
                <span className="sr-only">{done.has(id) ? ': feito' : ': por fazer'}</span>
              </li>
            ))}
          </ul>
        </div>
        <div className="flex shrink-0 gap-2 max-sm:flex-col-reverse">
          <Button variant="quiet" onClick={dismiss}>
            Dispensar
          </Button>
          <ButtonLink to={paths.adminFirstSteps()}>
            {done.size === 0 ? 'Começar' : 'Continuar'}
            <ArrowRight size={20} aria-hidden />
          </ButtonLink>
        </div>
      </div>
    </Panel>
  );
}
