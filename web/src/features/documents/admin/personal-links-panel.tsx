// Card with the personal links of a document: creation, copy, WhatsApp and revocation.
import { useQuery } from '@tanstack/react-query';
import { Copy, Link2 } from 'lucide-react';
import { useState } from 'react';

import { QueryContent } from '~/components/query-content';
import { useRights } from '~/features/auth/rights';
import type { AdminDocument } from '~/features/documents/api/admin-document';
import { documentKeys } from '~/features/documents/api/documents';
import {
  createPersonalLink,
  type LinkState,
  type PersonalLink,
  personalLinksQuery,
  revokePersonalLink,
} from '~/features/documents/api/personal-links';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useCopyToClipboard } from '~/hooks/use-copy-to-clipboard';
import { formatDateTime } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { SkeletonList } from '~/ui/skeleton';

import { WhatsAppButton } from './whatsapp-button';

export function PersonalLinksPanel({ document }: { document: AdminDocument }) {
  const { mayWrite } = useRights();
  const links = useQuery(personalLinksQuery(document.id));
  const create = useApiMutation({
    mutationFn: () => createPersonalLink(document.id),
    invalidates: [documentKeys.all],
    successToast: { title: 'Link pessoal criado' },
    errorToast: { title: 'Erro ao criar o link', fallback: 'O cliente não pode abrir este documento agora.' },
  });
  const isLive = links.data?.some(({ url }) => url !== null) ?? true;
  return (
    <Panel title="Link pessoal" action={<WhatsAppButton document={document} className="-mr-4" />}>
      <div className="flex flex-col gap-4 p-5">
        <p className="text-muted-foreground text-sm">
          Abre só este documento, sem entrar no portal, depois do fim do CPF ou CNPJ do cliente ou de um
          código por e-mail. Vale por 7 dias.
        </p>
        <QueryContent query={links} loading={<SkeletonList rows={1} rowClassName="h-12" />}>
          {(found) =>
            found.length > 0 && (
              <ul aria-label="Links pessoais" className="divide-border flex flex-col divide-y">
                {found.map((link) => (
                  <LinkItem key={link.id} link={link} documentId={document.id} />
                ))}
              </ul>
            )
          }
        </QueryContent>
        {mayWrite && !isLive && (
          <Button
            variant="secondary"
            icon={<Link2 size={20} aria-hidden />}
            pending={create.isPending}
            onClick={() => create.mutate()}
          >
            Criar link pessoal
          </Button>
        )}
      </div>
    </Panel>
  );
}

const stateLabels: Record<LinkState, string> = {
  ready: 'Ativo',
  expired: 'Vencido',
  revoked: 'Revogado',
  locked: 'Bloqueado por respostas erradas',
  unavailable: 'O cliente não pode abrir o documento',
};

function LinkItem({ link, documentId }: { link: PersonalLink; documentId: string }) {
  const { mayWrite } = useRights();
  const [asks, setAsks] = useState(false);
  const copy = useCopyToClipboard('Link copiado');
  const revoke = useApiMutation({
    mutationFn: revokePersonalLink,
    invalidates: [documentKeys.all],
    successToast: { title: 'Link revogado' },
    errorToast: { title: 'Erro ao revogar o link' },
    onSuccess: () => setAsks(false),
  });
  const { id, state, url, opened_at, expires_at, created_at, wrong_answers } = link;
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <p className={state === 'locked' ? 'text-danger font-medium' : 'font-medium'}>{stateLabels[state]}</p>
      <p className="text-muted-foreground text-sm tabular-nums">
        {state === 'ready'
          ? `Vale até ${formatDateTime(expires_at)}`
          : `Criado em ${formatDateTime(created_at)}`}
        {opened_at !== null && <span className="block">Aberto em {formatDateTime(opened_at)}</span>}
        {state === 'ready' && wrong_answers > 0 && (
          <span className="block">{pluralize(wrong_answers, 'resposta errada', 'respostas erradas')}</span>
        )}
      </p>
      {mayWrite && (state === 'ready' || state === 'unavailable') && (
        <div className="mt-1 -ml-4 flex flex-wrap">
          {url !== null && (
            <Button variant="quiet" icon={<Copy size={18} aria-hidden />} onClick={() => copy.mutate(url)}>
              Copiar link
            </Button>
          )}
          <Button variant="quiet" onClick={() => setAsks(true)}>
            Revogar
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title="Revogar o link?"
        description="Quem tem o link não abre mais o documento por ele. O documento continua no portal."
        confirm="Revogar"
        danger
        pending={revoke.isPending}
        onConfirm={() => revoke.mutate({ id, documentId })}
      />
    </li>
  );
}
