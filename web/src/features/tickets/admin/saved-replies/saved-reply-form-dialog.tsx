// Dialog that creates or edits a saved reply.
import * as z from 'zod/mini';

import { FormDialog } from '~/components/form-dialog';
import { TextField } from '~/components/form-fields';
import { TextareaField } from '~/components/more-form-fields';
import { type SavedReply, savedReplyKeys, saveReply } from '~/features/tickets/api/saved-replies';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';

const schema = z.object({
  title: z.string().check(z.trim(), z.minLength(1, 'O título é obrigatório.')),
  body: z.string().check(z.trim(), z.minLength(1, 'O texto é obrigatório.')),
});

type SavedReplyFormDialogProps = {
  /** Null creates a new saved reply. */
  reply: SavedReply | null;
  open: boolean;
  onClose: () => void;
};

export function SavedReplyFormDialog({ reply, open, onClose }: SavedReplyFormDialogProps) {
  const form = useZodForm(schema, { title: reply?.title ?? '', body: reply?.body ?? '' });
  const saving = useApiMutation({
    mutationFn: saveReply,
    invalidates: [savedReplyKeys.all],
    successToast: { title: reply === null ? 'Resposta pronta criada' : 'Resposta pronta atualizada' },
    errorToast: { title: 'Erro ao salvar resposta pronta' },
    onSuccess: onClose,
  });
  const { isDirty } = form.formState;
  return (
    <FormDialog
      open={open}
      title={reply === null ? 'Nova resposta pronta' : 'Editar resposta pronta'}
      dirty={isDirty}
      pending={saving.isPending}
      onSubmit={() => void form.handleSubmit((values) => saving.mutate({ id: reply?.id ?? null, values }))()}
      onClose={onClose}
    >
      <TextField {...form.bind('title')} label="Título *" required maxLength={255} autoComplete="off" />
      <TextareaField {...form.bind('body')} label="Texto *" required rows={8} maxLength={10_000} />
    </FormDialog>
  );
}
