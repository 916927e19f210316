// Form that creates or edits an e-mail template.
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Controller } from 'react-hook-form';
import { useNavigate } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { SAVED, UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { emailSettingsQuery } from '~/features/email/api/settings';
import { templateKeys, templatesQuery, type TemplateInput } from '~/features/email/api/templates';
import type { EditorHandle } from '~/features/email/editor/email-editor';
import { effectiveSettings, availableTriggers } from '~/features/email/email-events';
import { findTemplateWarnings, hasOversizedImage } from '~/features/email/template-variables';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { getErrorInfo } from '~/lib/api/errors';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { Input, Textarea } from '~/ui/input';
import { Select } from '~/ui/select';

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
  const form = useZodForm(templateSchema, initial);
  const settings = useQuery(emailSettingsQuery());
  const templates = useQuery(templatesQuery());
  const { errors, isDirty } = form.formState;
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
  const submit = form.handleSubmit(
    (values) => saving.mutate(values),
    () =>
      toast({
        title: 'Erro de Validação',
        description: 'Por favor, preencha todos os campos obrigatórios.',
        variant: 'error',
      }),
  );
  return (
    <>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <Card>
          <form noValidate onSubmit={submit}>
            <div className="flex min-w-0 flex-col gap-5 p-5 sm:p-6">
              <Field label="Nome do Template *" required error={errors.name?.message}>
                {(control) => (
                  <Input {...control} {...form.registerField('name')} autoComplete="off" maxLength={255} />
                )}
              </Field>
              <Field label="Descrição (Interna)" error={errors.description?.message}>
                {(control) => (
                  <Textarea {...control} {...form.registerField('description')} rows={2} maxLength={1000} />
                )}
              </Field>
              <Field
                label="Assunto do Email *"
                required
                error={errors.subject?.message}
                hint={<TemplateWarnings warnings={findTemplateWarnings(subject, trigger)} />}
              >
                {(control) => (
                  <Input {...control} {...form.registerField('subject')} autoComplete="off" maxLength={200} />
                )}
              </Field>
              <Field
                label="Gatilho do Evento *"
                required
                error={errors.event_trigger?.message}
                {...(replaced && {
                  hint: `O template “${replaced.name}” está em uso neste gatilho. Ao salvar, este aqui toma o lugar dele.`,
                })}
              >
                {(control) => (
                  <Select
                    {...control}
                    {...form.registerField('event_trigger')}
                    placeholder="Selecione um gatilho"
                    options={availableTriggers(effectiveSettings(settings.data ?? {}), trigger)}
                  />
                )}
              </Field>
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
                    error={errors.html_content?.message}
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
            <div className="border-border flex flex-col-reverse gap-2 border-t px-5 py-4 sm:flex-row sm:justify-end sm:px-6">
              <ButtonLink to={paths.adminEmailTemplates()} variant="secondary">
                Cancelar
              </ButtonLink>
              <Button type="submit" pending={saving.isPending}>
                {texts.submit}
              </Button>
            </div>
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
  if (code === 'template_image') return ['html_content'];
  if (code !== 'template_variables') return [];
  return findTemplateWarnings(subject, '').unknown.length > 0 ? ['subject'] : ['html_content'];
}
