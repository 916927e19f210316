// Requests of the e-mail templates.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { findRecordChange } from '~/features/activity/api';
import { type EditConflict, updateUnlessChanged } from '~/hooks/use-guarded-save';
import type { EmailTemplateRow, TemplateDraft, TemplatePreview } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';

export type EmailTemplate = EmailTemplateRow;
/** A template without its content, which may be large. */
export type EmailTemplateListItem = Pick<
  EmailTemplate,
  'id' | 'name' | 'subject' | 'event_trigger' | 'updated_at'
>;
export type TemplateInput = Pick<
  EmailTemplate,
  'name' | 'subject' | 'html_content' | 'event_trigger' | 'description'
>;

export const templateKeys = { all: ['email-templates'] as const };

const listFailure = { title: 'Erro ao buscar templates' };

/** All templates, without pagination: an office has about one per trigger. */
export function templatesQuery() {
  return queryOptions({
    queryKey: [...templateKeys.all, 'list'],
    async queryFn({ signal }): Promise<EmailTemplateListItem[]> {
      const { data } = await db()
        .from('email_templates')
        .select('id,name,subject,event_trigger,updated_at')
        .order('name')
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    meta: { errorToast: listFailure },
  });
}

export function templateCountQuery() {
  return queryOptions({
    queryKey: [...templateKeys.all, 'count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await db()
        .from('email_templates')
        .select('*', { count: 'exact', head: true })
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { errorToast: listFailure },
  });
}

export function templateQuery(id: string) {
  return queryOptions({
    queryKey: [...templateKeys.all, 'one', id],
    async queryFn({ signal }): Promise<EmailTemplate> {
      const { data } = await db()
        .from('email_templates')
        .select('*')
        .eq('id', id)
        .abortSignal(signal)
        .single()
        .throwOnError();
      return data;
    },
    meta: { errorToast: { title: 'Erro ao carregar template' } },
  });
}

/** Creates a template. After a lost answer, another request with the ID updates the template of the first one. */
export async function createTemplate(id: string, template: TemplateInput): Promise<void> {
  await db()
    .from('email_templates')
    .upsert({ id, ...template })
    .throwOnError();
}

/** Updates all fields of a template, unless one has changed since it was seen. */
export function updateTemplate<Values extends TemplateInput>(
  template: TemplateInput,
  { seen, toValues }: { seen: EmailTemplate; toValues: (template: EmailTemplate) => Values },
): Promise<EditConflict<EmailTemplate, Values> | null> {
  const { id } = seen;
  return updateUnlessChanged({
    seen,
    mine: toValues({ ...seen, ...template }),
    written: ['name', 'subject', 'html_content', 'event_trigger', 'description'],
    toValues,
    async update({ updated_at }) {
      const { data } = await db()
        .from('email_templates')
        .update(template)
        .eq('id', id)
        .eq('updated_at', updated_at)
        .select('*')
        .maybeSingle()
        .throwOnError();
      // The cache holds the saved template, so that the form opens with it.
      if (data) queryClient.setQueryData(templateQuery(id).queryKey, data);
      return data !== null;
    },
    reload: () => queryClient.fetchQuery({ ...templateQuery(id), staleTime: 0 }),
    findChange: ({ updated_at }) =>
      findRecordChange({ event: 'template.changed', id, column: 'subject_id' }, updated_at),
  });
}

export async function deleteTemplate({ id }: { id: string }): Promise<void> {
  await db().from('email_templates').delete().eq('id', id).throwOnError();
}

/** Creates the default template of every trigger that has none. Returns the new IDs. */
export async function createDefaultTemplates(): Promise<string[]> {
  const { data } = await db().rpc('create_default_templates', {}).throwOnError();
  return data;
}

/** Server-side rendering of a draft. */
export function templatePreviewQuery(draft: TemplateDraft) {
  return queryOptions({
    queryKey: [...templateKeys.all, 'preview', draft],
    async queryFn({ signal }): Promise<TemplatePreview> {
      const { data } = await db().rpc('preview_template', draft).abortSignal(signal).throwOnError();
      return data;
    },
    placeholderData: keepPreviousData,
    // Each edit creates a cache entry, so entries expire soon.
    gcTime: 10_000,
  });
}

/** Queues a test e-mail to the signed-in administrator. */
export async function sendTestMail(draft: TemplateDraft): Promise<{ id: string; recipient: string }> {
  const { data } = await db().rpc('send_test_mail', draft).throwOnError();
  return data;
}
