// Dialog with the rules that the inbox learned from publications. A deleted rule can be learned again.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';

import { QueryListCard } from '~/components/query-list-card';
import { useRights } from '~/features/auth/rights';
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { inboxKeys } from '~/features/inbox/api';
import { deleteInboxRule, type InboxRule, inboxRulesQuery } from '~/features/inbox/rules-api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Dialog } from '~/ui/dialog';
import { IconButton } from '~/ui/icon-button';

export function RulesDialog({ onClose }: { onClose: () => void }) {
  const { mayWriteInboxRules } = useRights();
  const rules = useInfiniteQuery(inboxRulesQuery());
  const { data: folders } = useQuery(allFoldersQuery());
  const removal = useApiMutation({
    mutationFn: deleteInboxRule,
    invalidates: [inboxKeys.all],
    successToast: { title: 'Regra excluída' },
    errorToast: { title: 'Erro ao excluir a regra' },
  });
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title="Regras aprendidas"
      description={`O portal repete, nos arquivos seguintes, a pasta que a equipe escolheu para cada categoria e o cliente que escolheu para cada nome de arquivo.${mayWriteInboxRules ? ' Exclua o que não vale mais.' : ''}`}
      className="sm:max-w-xl"
    >
      <QueryListCard title="Regras" pages={rules} empty="Nada foi aprendido ainda.">
        {(rule) => {
          const text = describe(rule, folders?.find(({ id }) => id === rule.folderId)?.name);
          return (
            <div className="flex items-center gap-3">
              <p className="min-w-0 flex-1 wrap-anywhere">{text}</p>
              {mayWriteInboxRules && (
                <IconButton
                  label={`Excluir: ${text}`}
                  icon={<Trash2 size={18} aria-hidden />}
                  disabled={removal.isPending}
                  onClick={() => removal.mutate(rule.id)}
                />
              )}
            </div>
          );
        }}
      </QueryListCard>
    </Dialog>
  );
}

function describe({ kind, pattern, client, folderId }: InboxRule, folder: string | undefined): string {
  return kind === 'folder'
    ? `${CATEGORY_NAMES[pattern] ?? pattern} → pasta ${folder ?? folderId}`
    : `Arquivos “${pattern}” → ${client?.fullName ?? client?.email ?? 'cliente excluído'}`;
}
