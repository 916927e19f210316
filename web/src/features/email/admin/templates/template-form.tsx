// Form that creates or edits an e-mail template.
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Controller } from 'react-hook-form';
import { useNavigate } from 'react-router';

import { FormActions } from '~/components/form-actions';
import { TextField } from '~/components/form-fields';
import { SelectField, TextareaField } from '~/components/more-form-fields';
import { SAVED, UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { emailSettingsQuery } from '~/features/email/api/settings';
import { templateKeys, templatesQuery, type TemplateInput } from '~/features/email/api/templates';
import type { EditorHandle } from '~/features/email/editor/email-editor';
import { effectiveSettings, availableTriggers } from '~/features/email/email-events';
import { findTemplateWarnings, hasOversizedImage } from '~/features/email/template-variables';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { REQUIRED_FIELDS_TOAST, useZodForm } from '~/hooks/use-zod-form';
import { getErrorInfo } from '~/lib/api/errors';
import { paths } from '~/paths';
import { Card } from '~/ui/card';

import { templatesInUse } from './active-templates';
import { TemplateContentField } from './template-content-field';
import { TemplatePreview } from './template-preview';
import { templateSchema, type TemplateValues } from './template-schema';
import { TemplateWarnings } from './template-warnings';
import { VariablesCard } from './variables-card';

const copy = {
  new: { submit: 'Criar Template', success: 'Template criado com sucesso!' },
  edit: { submit: 'Salvar Template', success: 'Template atualizado com sucesso!' },
} as const;

type TemplateFormProps = {
  mode: 'new' | 'edit';
  id?: string;
  initial: TemplateValues;
  save: (template: TemplateInput) => Promise<void>;
};

export function TemplateForm({ mode, id, initial, save }: TemplateFormProps) {
  const navigate = useNavigate();
  const texts = copy[mode];
  const content = useRef<EditorHandle>(null);
  const form = useZodForm(templateSchema, initial, { invalidToast: REQUIRED_FIELDS_TOAST });
  const settings = useQuery(emailSettingsQuery());
  const templates = useQuery(templatesQuery());
  const { isDirty } = form.formState;
  const [subject, trigger, html] = form.watch(['subject', 'event_trigger', 'html_content']);

  const saving = useApiMutation({
    mutationFn: ({ name, description, subject: line, ...values }: TemplateValues) =>
      save({
        ...values,
        name: name.trim(),
        subject: line.trim(),
        description: description.trim() === '' ? null : description.trim(),
      }),
    invalidates: [templateKeys.all],
    successToast: { title: texts.success },
    errorToast: {
      title: 'Erro ao salvar template',
      fallback: 'Corrija o campo destacado e tente novamente.',
    },
    onSuccessIfMounted: () => void navigate(paths.adminEmailTemplates(), { state: SAVED }),
    onError: (error) => {
      // The server's messages for these errors are in Portuguese and name the variables.
      for (const field of fieldsAtFault(error, subject)) form.setError(field, { message: error.message });
    },
  });

  const inUse = templatesInUse(templates.data ?? []).get(trigger);
  const replaced = templates.data?.find((template) => template.id === inUse && template.id !== id);
  const submit = form.handleSubmit((values) => saving.mutate(values));
  return (
    <>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <Card>
          <form noValidate onSubmit={submit}>
            <div className="flex min-w-0 flex-col gap-5 p-5 sm:p-6">
              <TextField
                {...form.bind('name')}
                label="Nome do Template *"
                required
                autoComplete="off"
                maxLength={255}
              />
              <TextareaField
                {...form.bind('description')}
                label="Descrição (Interna)"
                rows={2}
                maxLength={1000}
              />
              <TextField
                {...form.bind('subject')}
                label="Assunto do Email *"
                hint={<TemplateWarnings warnings={findTemplateWarnings(subject, trigger)} />}
                required
                autoComplete="off"
                maxLength={200}
              />
              <SelectField
                {...form.bind('event_trigger')}
                label="Gatilho do Evento *"
                {...(replaced && {
                  hint: `O template “${replaced.name}” está em uso neste gatilho. Ao salvar, este aqui toma o lugar dele.`,
                })}
                required
                placeholder="Selecione um gatilho"
                options={availableTriggers(effectiveSettings(settings.data ?? {}), trigger)}
              />
              <Controller
                control={form.control}
                name="html_content"
                render={({ field: { value, onChange, ref } }) => (
                  <TemplateContentField
                    ref={(handle) => {
                      content.current = handle;
                      ref(handle);
                    }}
                    value={value}
                    error={form.errorOf('html_content')}
                    onChange={(next) => {
                      onChange(next);
                      form.clearErrors('html_content');
                    }}
                    hint={
                      <TemplateWarnings
                        warnings={findTemplateWarnings(html, trigger)}
                        heavyPicture={hasOversizedImage(html)}
                      />
                    }
                  />
                )}
              />
            </div>
            <FormActions
              cancelTo={paths.adminEmailTemplates()}
              submit={texts.submit}
              pending={saving.isPending}
            />
          </form>
        </Card>
        <VariablesCard trigger={trigger} onInsert={(text) => content.current?.insert(text)} />
      </div>
      <TemplatePreview className="mt-6" draft={{ event_trigger: trigger, subject, html_content: html }} />
      <UnsavedChangesGuard
        enabled={isDirty}
        description="As alterações deste template ainda não foram salvas."
      />
    </>
  );
}

/** Fields to which a server error belongs. */
function fieldsAtFault(error: unknown, subject: string): ('subject' | 'html_content')[] {
  const { code } = getErrorInfo(error);
  if (code === 'template_subject') return ['subject'];
  if (code === 'template_image' || code === 'template_depth' || code === 'template_size')
    return ['html_content'];
  if (code !== 'template_variables') return [];
  return findTemplateWarnings(subject, '').unknown.length > 0 ? ['subject'] : ['html_content'];
}
