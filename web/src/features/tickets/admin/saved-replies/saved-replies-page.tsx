// Saved replies page.
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, TextQuote, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryList } from '~/components/query-list';
import {
  deleteSavedReply,
  type SavedReply,
  savedRepliesQuery,
  savedReplyKeys,
} from '~/features/tickets/api/saved-replies';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import { queryClient } from '~/lib/api/query-client';
import { matchesSearch } from '~/lib/text-search';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { SearchInput } from '~/ui/search-input';
import { SkeletonList } from '~/ui/skeleton';

import { SavedReplyFormDialog } from './saved-reply-form-dialog';

export function loader() {
  void queryClient.prefetchQuery(savedRepliesQuery());
  return null;
}

export { SavedRepliesPage as Component };

function SavedRepliesPage() {
  const replies = useQuery(savedRepliesQuery());
  const [search, setSearch] = useState('');
  const editing = useDialogState<SavedReply | null>();
  const deletion = useDialogState<SavedReply>();
  const removal = useApiMutation({
    mutationFn: deleteSavedReply,
    invalidates: [savedReplyKeys.all],
    successToast: { title: 'Resposta pronta excluída' },
    errorToast: { title: 'Erro ao excluir resposta pronta' },
    onSettled: deletion.close,
  });
  const rows = replies.data?.filter(({ title, body }) => matchesSearch(`${title} ${body}`, search));
  return (
    <>
      <PageHeader
        title="Respostas prontas"
        description="Textos que a equipe insere ao responder um ticket."
        back={{ to: paths.adminTickets(), label: 'Voltar para Tickets' }}
        action={
          <Button icon={<Plus size={20} aria-hidden />} onClick={() => editing.show(null)}>
            Nova resposta pronta
          </Button>
        }
      />
      {replies.data && replies.data.length > 0 && (
        <SearchInput
          value={search}
          onChange={setSearch}
          placeholder="Buscar por título ou texto..."
          className="mb-6 max-w-md"
        />
      )}
      <QueryList
        query={replies}
        rows={rows}
        loading={<SkeletonList rows={4} rowClassName="h-24" />}
        empty={{
          icon: <TextQuote size={26} />,
          title: 'Nenhuma resposta pronta encontrada',
          hint: search.trim() === '' ? 'Crie a primeira resposta pronta.' : 'Tente ajustar sua busca.',
        }}
        card
      >
        {(shown) => (
          <ul aria-label="Respostas prontas" className="flex flex-col gap-3">
            {shown.map((reply) => (
              <li key={reply.id}>
                <ReplyCard reply={reply} onEdit={editing.show} onDelete={deletion.show} />
              </li>
            ))}
          </ul>
        )}
      </QueryList>
      <SavedReplyFormDialog
        key={editing.key}
        reply={editing.item}
        open={editing.open}
        onClose={editing.close}
      />
      <ConfirmDialog
        open={deletion.open}
        onOpenChange={(open) => !open && deletion.close()}
        title="Confirmar Exclusão"
        description={`Tem certeza que deseja excluir a resposta pronta “${deletion.item?.title ?? ''}”? Esta ação não pode ser desfeita.`}
        confirm="Excluir"
        danger
        pending={removal.isPending}
        onConfirm={() => deletion.item && removal.mutate(deletion.item)}
      />
    </>
  );
}

type ReplyCardProps = {
  reply: SavedReply;
  onEdit: (reply: SavedReply) => void;
  onDelete: (reply: SavedReply) => void;
};

function ReplyCard({ reply, onEdit, onDelete }: ReplyCardProps) {
  return (
    <Card className="flex flex-col gap-2 p-5 sm:flex-row sm:items-start sm:justify-between sm:gap-6">
      <div className="min-w-0">
        <h2 className="text-base font-semibold wrap-anywhere">{reply.title}</h2>
        <p className="text-muted-foreground mt-1 line-clamp-3 wrap-anywhere whitespace-pre-wrap">
          {reply.body}
        </p>
      </div>
      <div className="-mx-4 flex shrink-0 sm:-mt-2">
        <Button
          variant="quiet"
          icon={<Pencil size={18} aria-hidden />}
          aria-label={`Editar ${reply.title}`}
          onClick={() => onEdit(reply)}
        >
          Editar
        </Button>
        <Button
          variant="quiet-danger"
          icon={<Trash2 size={18} aria-hidden />}
          aria-label={`Excluir ${reply.title}`}
          onClick={() => onDelete(reply)}
        >
          Excluir
        </Button>
      </div>
    </Card>
  );
}
