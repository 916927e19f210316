// Dialog with the rules of recognition that the office wrote, and those that the inbox learned from publications. A
// deleted learned rule can be learned again.
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

import { RecognitionRules } from './recognition-rules';

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
      title="Regras da caixa de entrada"
      description="As regras do escritório dizem o tipo de um documento. As aprendidas repetem, nos arquivos seguintes, a pasta que a equipe escolheu para cada categoria e o cliente que escolheu para cada nome de arquivo."
      className="sm:max-w-xl"
    >
      <div className="flex flex-col gap-5">
        <RecognitionRules />
        <QueryListCard title="Regras aprendidas" pages={rules} empty="Nada foi aprendido ainda.">
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
      </div>
    </Dialog>
  );
}

function describe({ kind, pattern, client, folderId }: InboxRule, folder: string | undefined): string {
  return kind === 'folder'
    ? `${CATEGORY_NAMES[pattern] ?? pattern} → pasta ${folder ?? folderId}`
    : `Arquivos “${pattern}” → ${client?.fullName ?? client?.email ?? 'cliente excluído'}`;
}
