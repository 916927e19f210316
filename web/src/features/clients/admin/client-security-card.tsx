// Card with the client's MFA and passkeys, which the office can reset.
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';

import { QueryContent } from '~/components/query-content';
import { accountMfaQuery } from '~/features/auth/api/mfa-admin';
import { ResetMfaDialog } from '~/features/auth/components/reset-mfa-dialog';
import type { Client } from '~/features/clients/api/clients';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';
import { SkeletonList } from '~/ui/skeleton';

export function ClientSecurityCard({ client }: { client: Client }) {
  const mfa = useQuery(accountMfaQuery(client.id));
  const [resetting, setResetting] = useState(false);
  return (
    <Panel title="Segurança">
      <QueryContent
        query={mfa}
        loading={<SkeletonList rows={1} className="p-5" rowClassName="h-12" />}
        className="py-8"
      >
        {({ enabled, passkeys }) => (
          <>
            <DescriptionList>
              <DescriptionItem term="Verificação em duas etapas">
                <Badge tone={enabled ? 'success' : 'neutral'}>{enabled ? 'Ligada' : 'Desligada'}</Badge>
              </DescriptionItem>
              <DescriptionItem term="Chaves de acesso">{passkeys || 'Nenhuma'}</DescriptionItem>
            </DescriptionList>
            {(enabled || passkeys > 0) && (
              <div className="border-border flex flex-col gap-2 border-t p-5">
                <Button
                  variant="secondary"
                  icon={<KeyRound size={18} aria-hidden />}
                  onClick={() => setResetting(true)}
                >
                  Redefinir verificação
                </Button>
              </div>
            )}
          </>
        )}
      </QueryContent>
      <ResetMfaDialog person={client} open={resetting} onClose={() => setResetting(false)} />
    </Panel>
  );
}
