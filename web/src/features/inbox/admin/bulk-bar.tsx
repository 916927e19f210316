// The bar below the list: changes of many files at once, and the publication.
import { CalendarX, Trash2, Undo2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { ClientCombobox } from '~/features/clients/components/client-combobox';
import { documentKeys } from '~/features/documents/api/documents';
import { withdrawDocuments } from '~/features/documents/api/withdrawal';
import { FolderCombobox } from '~/features/folders/components/folder-combobox';
import {
  cancelPublication,
  discardFiles,
  inboxKeys,
  type InboxFile,
  type Review,
} from '~/features/inbox/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import type { ReviewGroup } from '~/lib/api/database';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Field } from '~/ui/field';
import { Spinner } from '~/ui/spinner';

type BulkBarProps = {
  group: ReviewGroup;
  selected: readonly InboxFile[];
  /** Whether a change of files is under way. */
  isChanging: boolean;
  onClear: () => void;
  onReview: (review: Review) => void;
  action: ReactNode;
};

export function BulkBar({ group, selected, isChanging, onClear, onReview, action }: BulkBarProps) {
  const [asks, setAsks] = useState<'discard' | 'withdraw' | null>(null);
  const isReview = group !== 'scheduled' && group !== 'published';
  const documents = selected.flatMap(({ document_id: id, withdrawn_at }) =>
    id !== null && withdrawn_at === null ? [id] : [],
  );
  const discard = useApiMutation({
    mutationFn: discardFiles,
    invalidates: [inboxKeys.all],
    successToast: (_, ids) => ({
      title: pluralize(ids.length, 'arquivo descartado', 'arquivos descartados'),
    }),
    errorToast: { title: 'Erro ao descartar' },
    onSettled: () => setAsks(null),
    onSuccessIfMounted: onClear,
  });
  const withdraw = useApiMutation({
    mutationFn: withdrawDocuments,
    invalidates: [inboxKeys.all, documentKeys.all],
    successToast: (_, ids) => ({
      title: pluralize(ids.length, 'documento recolhido', 'documentos recolhidos'),
    }),
    errorToast: { title: 'Erro ao recolher' },
    onSettled: () => setAsks(null),
    onSuccessIfMounted: onClear,
  });
  const cancel = useApiMutation({
    mutationFn: cancelPublication,
    invalidates: [inboxKeys.all],
    successToast: (_, ids) => ({
      title: pluralize(ids.length, 'publicação desfeita', 'publicações desfeitas'),
      description: 'Nenhum aviso foi enviado.',
    }),
    errorToast: { title: 'Erro ao desfazer a publicação' },
    onSuccessIfMounted: onClear,
  });
  if (selected.length === 0 && !action) return null;
  return (
    <div className="border-border bg-card sticky bottom-0 z-10 -mx-4 mt-5 flex flex-wrap items-end gap-3 border-t px-4 py-3 sm:mx-0 sm:rounded sm:border">
      {selected.length > 0 && (
        <p role="status" className="text-body flex items-center gap-2 tabular-nums max-sm:w-full sm:min-h-11">
          {isChanging && <Spinner />}
          {pluralize(selected.length, 'selecionado', 'selecionados')}
        </p>
      )}
      {selected.length > 0 && isReview && (
        <>
          <Field label="Cliente dos selecionados" className="w-[calc(50%-0.375rem)] sm:w-64">
            {(control) => (
              <ClientCombobox
                {...control}
                disabled={false}
                keepsSelection
                onChange={(client) => client && onReview({ client_id: client.id })}
              />
            )}
          </Field>
          <Field label="Pasta dos selecionados" className="w-[calc(50%-0.375rem)] sm:w-56">
            {(control) => (
              <FolderCombobox
                {...control}
                value=""
                disabled={false}
                onChange={(folder) => folder !== '' && onReview({ folder_id_supabase: folder })}
              />
            )}
          </Field>
          <Button
            variant="quiet-danger"
            icon={<Trash2 size={18} aria-hidden />}
            onClick={() => setAsks('discard')}
          >
            Descartar
          </Button>
        </>
      )}
      {selected.length > 0 && group === 'scheduled' && (
        <Button
          variant="secondary"
          icon={<CalendarX size={18} aria-hidden />}
          pending={cancel.isPending}
          onClick={() => cancel.mutate(selected.map(({ id }) => id))}
        >
          Desfazer publicação
        </Button>
      )}
      {documents.length > 0 && (
        <Button
          variant="secondary"
          icon={<Undo2 size={18} aria-hidden />}
          onClick={() => setAsks('withdraw')}
        >
          Recolher
        </Button>
      )}
      <div className="ml-auto">{action}</div>
      <ConfirmDialog
        open={asks === 'discard'}
        onOpenChange={(open) => !open && setAsks(null)}
        title="Descartar arquivos"
        description={`${pluralize(selected.length, 'arquivo será excluído', 'arquivos serão excluídos')} da caixa de entrada. Esta ação não pode ser desfeita.`}
        confirm="Descartar"
        danger
        pending={discard.isPending}
        onConfirm={() => discard.mutate(selected.map(({ id }) => id))}
      />
      <ConfirmDialog
        open={asks === 'withdraw'}
        onOpenChange={(open) => !open && setAsks(null)}
        title="Recolher documentos"
        description={`${pluralize(documents.length, 'documento deixará', 'documentos deixarão')} de aparecer para o cliente, e os avisos que ainda não saíram serão cancelados.`}
        confirm="Recolher"
        pending={withdraw.isPending}
        onConfirm={() => withdraw.mutate(documents)}
      />
    </div>
  );
}
