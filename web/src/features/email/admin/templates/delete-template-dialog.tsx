// Dialog that deletes an e-mail template.
import { deleteTemplate, type EmailTemplateListItem, templateKeys } from '~/features/email/api/templates';
import { triggerLabel } from '~/features/email/email-events';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { templatesInUse } from './active-templates';

type DeleteTemplateDialogProps = {
  template: EmailTemplateListItem | null;
  all: readonly EmailTemplateListItem[];
  open: boolean;
  onClose: () => void;
};

/** States the template that the trigger uses after the deletion. */
export function DeleteTemplateDialog({ template, all, open, onClose }: DeleteTemplateDialogProps) {
  const removal = useApiMutation({
    mutationFn: deleteTemplate,
    invalidates: [templateKeys.all],
    successToast: { title: 'Template excluído com sucesso!' },
    errorToast: { title: 'Erro ao excluir template' },
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="Confirmar Exclusão"
      description={
        template && (
          <div className="flex flex-col gap-3">
            <p>
              Tem certeza que deseja excluir o template{' '}
              <strong className="text-foreground font-medium wrap-anywhere">{template.name}</strong>? Esta
              ação não pode ser desfeita.
            </p>
            <p>{describeReplacement(template, all)}</p>
          </div>
        )
      }
      confirm="Excluir"
      danger
      pending={removal.isPending}
      onConfirm={() => template && removal.mutate(template)}
    />
  );
}

function describeReplacement(template: EmailTemplateListItem, all: readonly EmailTemplateListItem[]): string {
  const { id, event_trigger: trigger } = template;
  const event = `“${triggerLabel(trigger)}”`;
  if (templatesInUse(all).get(trigger) !== id)
    return `Os e-mails de ${event} não mudam: outro template está em uso.`;
  const others = all.filter((other) => other.id !== id);
  const heir = others.find((other) => other.id === templatesInUse(others).get(trigger));
  return heir
    ? `Os e-mails de ${event} passam a sair com o template “${heir.name}”.`
    : `Os e-mails de ${event} continuam saindo, com o texto padrão do portal.`;
}
