// Page of the office's settings.
import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { smtpStatusQuery } from '~/features/email/api/log';
import { HelpLink } from '~/features/help/components/help-link';
import { InboxTokensPanel } from '~/features/inbox/components/tokens-panel';
import { inboxTokensQuery } from '~/features/inbox/tokens-api';
import { officeSettingsQuery } from '~/features/office/api';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

import { ServerSettingsPanel } from './server-settings-panel';
import { SettingsForm } from './settings-form';

export function loader() {
  void queryClient.prefetchQuery(officeSettingsQuery());
  void queryClient.prefetchQuery(smtpStatusQuery());
  void queryClient.prefetchQuery(inboxTokensQuery());
  return null;
}

export { SettingsPage as Component };

function SettingsPage() {
  return (
    <>
      <PageHeader
        title="Configurações"
        description={
          <>
            Como o escritório se apresenta aos clientes, e quando ele atende.{' '}
            <HelpLink to={paths.adminGuidePage('configurar-o-escritorio')} />
          </>
        }
        secondary={
          <ButtonLink
            to={paths.adminFirstSteps()}
            variant="secondary"
            icon={<ListChecks size={20} aria-hidden />}
          >
            Primeiros passos
          </ButtonLink>
        }
      />
      <div className="flex max-w-3xl flex-col gap-6">
        <QueryContent
          query={useQuery(officeSettingsQuery())}
          loading={<SkeletonList rows={4} rowClassName="h-52" />}
          card
        >
          {(saved) => <SettingsForm saved={saved} />}
        </QueryContent>
        <InboxTokensPanel />
        <ServerSettingsPanel />
      </div>
    </>
  );
}
