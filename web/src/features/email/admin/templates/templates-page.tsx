// E-mail template list.
import { useQuery } from '@tanstack/react-query';
import { LayoutTemplate, Pencil, Plus, Sparkles, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import { TextLink } from '~/components/text-link';
import {
  createDefaultTemplates,
  type EmailTemplateListItem,
  templateKeys,
  templatesQuery,
} from '~/features/email/api/templates';
import { TRIGGER_COUNT, triggerLabel } from '~/features/email/email-events';
import { HelpLink } from '~/features/help/components/help-link';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import { queryClient } from '~/lib/api/query-client';
import { pluralize } from '~/lib/format';
import { matchesSearch } from '~/lib/text-search';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { type Column } from '~/ui/data-table';
import { SearchInput } from '~/ui/search-input';

import { templatesInUse } from './active-templates';
import { DeleteTemplateDialog } from './delete-template-dialog';

export function loader() {
  void queryClient.prefetchQuery(templatesQuery());
  return null;
}

export { TemplatesPage as Component };

function TemplatesPage() {
  const templates = useQuery(templatesQuery());
  const [search, setSearch] = useState('');
  const deletion = useDialogState<EmailTemplateListItem>();
  const defaults = useApiMutation({
    mutationFn: createDefaultTemplates,
    invalidates: [templateKeys.all],
    successToast: ({ length }) =>
      length === 0
        ? { title: 'Todos os gatilhos já têm um template' }
        : { title: `${pluralize(length, 'modelo criado', 'modelos criados')} com sucesso!` },
    errorToast: { title: 'Erro ao criar modelos padrão' },
  });
  const inUse = templatesInUse(templates.data ?? []);
  const rows = templates.data?.filter(({ name, subject, event_trigger: trigger }) =>
    matchesSearch(`${name} ${subject} ${trigger} ${triggerLabel(trigger)}`, search),
  );
  const searched = search.trim() !== '';
  return (
    <>
      <PageHeader
        title="Templates de Email"
        description={
          <>
            O texto de cada e-mail que o portal envia aos clientes.{' '}
            <HelpLink to={paths.adminGuidePage('textos-dos-emails')} />
          </>
        }
        action={<NewTemplateLink />}
        {...(templates.data &&
          inUse.size < TRIGGER_COUNT && {
            secondary: (
              <Button
                variant="secondary"
                icon={<Sparkles size={20} aria-hidden />}
                pending={defaults.isPending}
                onClick={() => defaults.mutate()}
              >
                Criar modelos padrão
              </Button>
            ),
          })}
      />
      <SearchInput
        value={search}
        onChange={setSearch}
        placeholder="Buscar por nome, assunto ou gatilho..."
        maxLength={100}
        className="mb-6 max-w-md"
      />
      <QueryTable
        query={templates}
        rows={rows}
        caption="Templates de Email"
        columns={columns(inUse, deletion.show)}
        rowKey={({ id }) => id}
        empty={{
          icon: <LayoutTemplate size={26} />,
          title: 'Nenhum template encontrado',
          hint: searched
            ? 'Tente ajustar sua busca.'
            : 'Sem template, cada e-mail sai com o texto padrão do portal.',
          ...(!searched && { action: <NewTemplateLink /> }),
        }}
        skeletonRows={5}
      />
      <DeleteTemplateDialog
        template={deletion.item}
        all={templates.data ?? []}
        open={deletion.open}
        onClose={deletion.close}
      />
    </>
  );
}

function NewTemplateLink() {
  return (
    <ButtonLink to={paths.adminEmailTemplateNew()} icon={<Plus size={20} aria-hidden />}>
      Novo Template
    </ButtonLink>
  );
}

function columns(
  inUse: ReadonlyMap<string, string>,
  askToDelete: (template: EmailTemplateListItem) => void,
): Column<EmailTemplateListItem>[] {
  return [
    {
      header: 'Nome do Template',
      primary: true,
      cell: ({ id, name, event_trigger: trigger }) => (
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <TextLink to={paths.adminEmailTemplateEdit(id)} className="font-medium">
            {name}
          </TextLink>
          {inUse.get(trigger) === id && <Badge tone="success">em uso</Badge>}
        </span>
      ),
    },
    { header: 'Assunto', freeText: true, cell: ({ subject }) => <span className="min-w-0">{subject}</span> },
    {
      header: 'Gatilho',
      cell: ({ event_trigger: trigger }) =>
        trigger === '' ? (
          'N/A'
        ) : (
          <span className="min-w-0">
            {triggerLabel(trigger)}
            <span className="text-muted-foreground block text-sm">{trigger}</span>
          </span>
        ),
    },
    {
      header: 'Ações',
      actions: true,
      cell: (template) => (
        <span className="-mr-4 inline-flex">
          <ButtonLink
            to={paths.adminEmailTemplateEdit(template.id)}
            variant="quiet"
            icon={<Pencil size={18} aria-hidden />}
            aria-label={`Editar ${template.name}`}
          >
            Editar
          </ButtonLink>
          <Button
            variant="quiet-danger"
            icon={<Trash2 size={18} aria-hidden />}
            aria-label={`Excluir ${template.name}`}
            onClick={() => askToDelete(template)}
          >
            Excluir
          </Button>
        </span>
      ),
    },
  ];
}
