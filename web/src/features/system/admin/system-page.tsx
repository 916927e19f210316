// Page with the state of the installation, for administrators.
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleX, RefreshCw } from 'lucide-react';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { TextLink } from '~/components/text-link';
import { systemStatusQuery } from '~/features/system/api';
import {
  groupChecks,
  splitCommands,
  statusLabels,
  summarizeChecks,
} from '~/features/system/summarize-checks';
import type { CheckStatus, SystemCheck, SystemStatus } from '~/lib/api/database';
import { queryClient } from '~/lib/api/query-client';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Badge, type Tone } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Card, Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

const tones: Record<CheckStatus, Tone> = { ok: 'success', warning: 'warning', error: 'danger' };

const icons = {
  ok: <CircleCheck size={20} aria-hidden className="text-success mt-px shrink-0" />,
  warning: <CircleAlert size={20} aria-hidden className="text-warning mt-px shrink-0" />,
  error: <CircleX size={20} aria-hidden className="text-danger mt-px shrink-0" />,
};

/** Screens of the portal that show more than a check. */
const screens: Partial<Record<string, { to: string; label: string }>> = {
  mail_queue: { to: paths.adminEmailLog(), label: 'Abrir o registro de e-mails' },
};

export function loader() {
  void queryClient.prefetchQuery(systemStatusQuery());
  return null;
}

export { SystemPage as Component };

function SystemPage() {
  const status = useQuery(systemStatusQuery());
  return (
    <>
      <PageHeader
        title="Sistema"
        description="O estado da instalação do escritório: o que está bem, e o que fazer com o que não está."
        back={{ to: paths.adminSettings(), label: 'Voltar às configurações' }}
        action={
          <Button
            variant="secondary"
            icon={<RefreshCw size={18} aria-hidden />}
            pending={status.isFetching}
            onClick={() => void status.refetch()}
          >
            Examinar de novo
          </Button>
        }
      />
      <div className="max-w-3xl">
        <QueryContent query={status} loading={<SkeletonList rows={6} rowClassName="h-32" />} card>
          {(data) => <Report report={data} />}
        </QueryContent>
      </div>
    </>
  );
}

function Report({ report }: { report: SystemStatus }) {
  return (
    <div className="flex flex-col gap-6">
      <Card className="flex items-start gap-3 px-5 py-4">
        {icons[report.status]}
        <p role="status" className="text-body min-w-0 wrap-anywhere">
          <span className="font-medium">{summarizeChecks(report.checks)}</span>
          <span className="text-muted-foreground block text-sm tabular-nums">
            Examinado em {formatDateTime(report.examined_at)} · Portaria {report.version}
          </span>
        </p>
      </Card>
      {groupChecks(report.checks).map(({ section, title, checks }) => (
        <Panel key={section} title={title}>
          <ul className="divide-border divide-y px-5">
            {checks.map((check) => (
              <CheckLine key={check.check} check={check} />
            ))}
          </ul>
        </Panel>
      ))}
    </div>
  );
}

function CheckLine({ check: { check, title, status, message, advice } }: { check: SystemCheck }) {
  const screen = status === 'ok' ? undefined : screens[check];
  return (
    <li className="text-body flex items-start gap-3 py-3">
      {icons[status]}
      <div className="min-w-0 grow wrap-anywhere tabular-nums">
        <h3 className="text-body font-medium tracking-normal">{title}</h3>
        <p className="text-muted-foreground text-sm">
          <Sentence text={message} />
        </p>
        {advice !== undefined && (
          <p className="mt-1 text-sm">
            <span className="font-medium">O que fazer: </span>
            <Sentence text={advice} />
          </p>
        )}
        {screen && (
          <TextLink to={screen.to} className="touch-target inline-flex items-center text-sm">
            {screen.label}
          </TextLink>
        )}
      </div>
      <Badge tone={tones[status]} className="shrink-0">
        {statusLabels[status]}
      </Badge>
    </li>
  );
}

/** A sentence whose commands are set as code. */
function Sentence({ text }: { text: string }) {
  return splitCommands(text).map((part, index) =>
    index % 2 === 1 ? (
      <code key={index} className="bg-muted text-foreground rounded px-1">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
