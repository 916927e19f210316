// The rules by which the office describes kinds of documents. Administrators change them.
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { QueryContent } from '~/components/query-content';
import { useRights } from '~/features/auth/rights';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { inboxKeys } from '~/features/inbox/api';
import {
  deleteRecognitionRule,
  type RecognitionRule,
  recognitionRulesQuery,
} from '~/features/inbox/recognition-api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { IconButton } from '~/ui/icon-button';
import { SkeletonList } from '~/ui/skeleton';

import { RecognitionRuleForm } from './recognition-rule-form';

export function RecognitionRules() {
  const { isAdministrator } = useRights();
  const rules = useQuery(recognitionRulesQuery());
  /** The rule in the form; 'new' for one that does not exist yet. */
  const [edited, setEdited] = useState<RecognitionRule | 'new' | null>(null);
  const close = () => setEdited(null);
  return (
    <Panel
      title="Regras do escritório"
      action={
        isAdministrator &&
        edited === null && (
          <Button
            variant="quiet"
            className="-mr-4"
            icon={<Plus size={18} aria-hidden />}
            onClick={() => setEdited('new')}
          >
            Nova regra
          </Button>
        )
      }
    >
      <QueryContent
        query={rules}
        loading={<SkeletonList rows={2} className="p-5" rowClassName="h-11" />}
        className="py-8"
      >
        {(loaded) => (
          <>
            {edited === null ? (
              <RuleList rules={loaded} onEdit={isAdministrator ? setEdited : null} />
            ) : (
              <RecognitionRuleForm
                key={edited === 'new' ? 'new' : edited.id}
                rule={edited === 'new' ? null : edited}
                rules={loaded}
                onClose={close}
              />
            )}
          </>
        )}
      </QueryContent>
    </Panel>
  );
}

type RuleListProps = { rules: RecognitionRule[]; onEdit: ((rule: RecognitionRule) => void) | null };

function RuleList({ rules, onEdit }: RuleListProps) {
  const { data: folders } = useQuery(allFoldersQuery());
  const removal = useApiMutation({
    mutationFn: deleteRecognitionRule,
    invalidates: [inboxKeys.all],
    successToast: { title: 'Regra excluída' },
    errorToast: { title: 'Erro ao excluir a regra' },
  });
  if (rules.length === 0) {
    return (
      <p className="text-muted-foreground px-5 py-6">
        Nenhuma ainda. Com uma regra, o portal reconhece um tipo de documento que só o escritório recebe.
      </p>
    );
  }
  return (
    <ul aria-label="Regras do escritório" className="divide-border divide-y">
      {rules.map((rule) => (
        <li key={rule.id} className="flex items-center gap-1 px-5 py-3">
          <div className="min-w-0 flex-1 pr-2 wrap-anywhere">
            <p className="font-medium">{rule.name}</p>
            <p className="text-muted-foreground text-sm">
              {describe(rule, folders?.find(({ id }) => id === rule.folderId)?.name)}
            </p>
          </div>
          {onEdit !== null && (
            <>
              <IconButton
                label={`Editar a regra ${rule.name}`}
                icon={<Pencil size={18} aria-hidden />}
                onClick={() => onEdit(rule)}
              />
              <IconButton
                label={`Excluir a regra ${rule.name}`}
                icon={<Trash2 size={18} aria-hidden />}
                disabled={removal.isPending}
                onClick={() => removal.mutate(rule.id)}
              />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function describe({ phrases, excluded, isPayable }: RecognitionRule, folder: string | undefined): string {
  return [
    `Com ${quote(phrases)}`,
    excluded.length > 0 && `sem ${quote(excluded)}`,
    folder !== undefined && `pasta ${folder}`,
    isPayable && 'a pagar',
  ]
    .filter((part) => part !== false)
    .join(' · ');
}

function quote(texts: string[]): string {
  return texts.map((text) => `“${text}”`).join(', ');
}
