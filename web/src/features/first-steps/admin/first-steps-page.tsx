// First steps of an office: identity, mails, colleagues and clients. Each step shows what is done, and can be skipped.
import { Circle, CircleCheck, FileUp, MailPlus, Settings, UserPlus } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { useUser } from '~/features/auth/session';
import { useSkippedSteps } from '~/features/first-steps/skipped-steps';
import {
  checkOffice,
  findDoneSteps,
  type OfficeState,
  type StepId,
  stepIds,
  stepTitles,
} from '~/features/first-steps/steps';
import { prefetchOfficeState, useOfficeState } from '~/features/first-steps/use-office-state';
import { HelpLink } from '~/features/help/components/help-link';
import { InviteColleagueDialog } from '~/features/staff/components/invite-colleague-dialog';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';

import { MailStep } from './mail-step';

/** The page appears with its ticks, so that none of its parts moves. */
export async function loader() {
  await prefetchOfficeState();
  return null;
}

export { FirstStepsPage as Component };

function FirstStepsPage() {
  const { id: owner } = useUser();
  const office = useOfficeState();
  const [skipped, setSkipped] = useSkippedSteps(owner);
  const done = findDoneSteps(office);
  const content: Record<StepId, ReactNode> = {
    office: <OfficeStep office={office} />,
    mail: <MailStep smtp={office.smtp} />,
    team: <TeamStep count={office.staffCount} />,
    clients: <ClientsStep count={office.clientCount} />,
  };
  return (
    <>
      <PageHeader
        title="Primeiros passos"
        description={
          <>
            Quatro passos deixam o portal pronto. A ordem é livre, e nenhum é obrigatório.{' '}
            <HelpLink to={paths.adminGuidePage('configurar-o-escritorio', 'os-quatro-primeiros-passos')} />
          </>
        }
        back={{ to: paths.adminDashboard(), label: 'Voltar ao Dashboard' }}
      />
      <p role="status" className="text-muted-foreground mb-4 tabular-nums">
        {`${done.size} de ${pluralize(stepIds.length, 'passo feito', 'passos feitos')}`}
      </p>
      <ol className="flex max-w-3xl flex-col gap-4">
        {stepIds.map((id) => (
          <li key={id}>
            <Step
              title={stepTitles[id]}
              isDone={done.has(id)}
              isSkipped={skipped.has(id)}
              onSkip={(isSkipped) => setSkipped(id, isSkipped)}
            >
              {content[id]}
            </Step>
          </li>
        ))}
      </ol>
    </>
  );
}

type StepProps = {
  title: string;
  isDone: boolean;
  isSkipped: boolean;
  onSkip: (isSkipped: boolean) => void;
  children: ReactNode;
};

/** A skipped step is folded to its title. */
function Step({ title, isDone, isSkipped, onSkip, children }: StepProps) {
  const isFolded = isSkipped && !isDone;
  return (
    <Card>
      <section aria-label={title} className="px-5 py-4">
        <div className="flex min-h-11 items-center gap-3">
          {isDone ? (
            <CircleCheck size={22} aria-hidden className="text-success shrink-0" />
          ) : (
            <Circle size={22} aria-hidden className="text-muted-foreground shrink-0" />
          )}
          <h2 className="text-lg">{title}</h2>
          {isDone && <Badge tone="success">Feito</Badge>}
          {isFolded && <Badge tone="neutral">Pulado</Badge>}
          {!isDone && (
            <Button
              variant="quiet"
              className="-mr-4 ml-auto"
              aria-label={isFolded ? `Retomar: ${title}` : `Pular: ${title}`}
              onClick={() => onSkip(!isFolded)}
            >
              {isFolded ? 'Retomar' : 'Pular'}
            </Button>
          )}
        </div>
        {!isFolded && <div className="mt-2 flex flex-col items-start gap-4 sm:pl-8.5">{children}</div>}
      </section>
    </Card>
  );
}

function OfficeStep({ office: { settings } }: { office: OfficeState }) {
  return (
    <>
      <p className="text-muted-foreground">
        O nome, o logotipo e a cor aparecem na entrada, nos e-mails e no celular dos clientes; os contatos,
        para quem precisa de ajuda.
      </p>
      {settings && (
        <ul className="flex flex-wrap gap-2">
          {checkOffice(settings).map(({ label, isDone }) => (
            <li key={label}>
              <Badge
                tone={isDone ? 'success' : 'neutral'}
              >{`${label}: ${isDone ? 'definido' : 'falta'}`}</Badge>
            </li>
          ))}
        </ul>
      )}
      <ButtonLink to={paths.adminSettings()} variant="secondary" icon={<Settings size={20} aria-hidden />}>
        Abrir Configurações
      </ButtonLink>
    </>
  );
}

function TeamStep({ count }: { count: number | undefined }) {
  const [inviting, setInviting] = useState(false);
  return (
    <>
      <p className="text-muted-foreground">
        Cada pessoa entra com o próprio e-mail, com um papel e com todos os clientes ou só os atribuídos.
        {count !== undefined && count > 1 && ` A equipe tem ${count} pessoas.`}
      </p>
      <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:flex-col">
        <Button
          variant="secondary"
          icon={<MailPlus size={20} aria-hidden />}
          onClick={() => setInviting(true)}
        >
          Convidar colega
        </Button>
        <ButtonLink to={paths.adminAdministrators()} variant="quiet">
          Ver a equipe
        </ButtonLink>
      </div>
      {inviting && <InviteColleagueDialog onClose={() => setInviting(false)} />}
    </>
  );
}

function ClientsStep({ count }: { count: number | undefined }) {
  return (
    <>
      <p className="text-muted-foreground">
        Importe uma planilha CSV com nome, email e CPF ou CNPJ, ou cadastre um por um. Quem não recebe uma
        senha recebe um convite por e-mail.
        {count !== undefined && count > 0 && ` O portal tem ${pluralize(count, 'cliente', 'clientes')}.`}
      </p>
      <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:flex-col">
        <ButtonLink
          to={paths.adminClientImport()}
          variant="secondary"
          icon={<FileUp size={20} aria-hidden />}
        >
          Importar planilha
        </ButtonLink>
        <ButtonLink to={paths.adminClientNew()} variant="quiet" icon={<UserPlus size={20} aria-hidden />}>
          Cadastrar um
        </ButtonLink>
      </div>
    </>
  );
}
