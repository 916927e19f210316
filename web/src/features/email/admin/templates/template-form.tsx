import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Controller } from 'react-hook-form';
import { useNavigate } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { SAVED, UnsavedChanges } from '~/components/unsaved-changes-guard';
import { emailSettingsQuery } from '~/features/email/api/settings';
import { templateKeys, templatesQuery, type TemplateWords } from '~/features/email/api/templates';
import type { EditorHandle } from '~/features/email/editor/email-editor';
import { settingsInForce, triggersOnOffer } from '~/features/email/email-events';
import { findingsIn, hasHeavyPicture } from '~/features/email/template-variables';
import { useAction } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { failureOf } from '~/lib/api/errors';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { Input, Textarea } from '~/ui/input';
import { Select } from '~/ui/select';

import { templatesInUse } from './active-templates';
import { TemplateContent } from './template-content-field';
import { TemplatePreview } from './template-preview';
import { templateSchema, type TemplateValues } from './template-schema';
import { TemplateFindings } from './template-warnings';
import { VariablesBox } from './variables-card';

const looks = {
  new: { submit: 'Criar Template', success: 'Template criado com sucesso!' },
  edit: { submit: 'Salvar Template', success: 'Template atualizado com sucesso!' },
} as const;

type TemplateFormProps = {
  mode: 'new' | 'edit';
  id?: string;
  initial: TemplateValues;
  save: (words: TemplateWords) => Promise<void>;
};

export function TemplateForm({ mode, id, initial, save }: TemplateFormProps) {
  const navigate = useNavigate();
  const look = looks[mode];
  const content = useRef<EditorHandle>(null);
  const form = useZodForm(templateSchema, initial);
  const settings = useQuery(emailSettingsQuery());
  const templates = useQuery(templatesQuery());
  const { errors, isDirty } = form.formState;
  const [subject, trigger, html] = form.watch(['subject', 'event_trigger', 'html_content']);

  const saving = useAction({
    run: ({ name, description, subject: line, ...values }: TemplateValues) =>
      save({
        ...values,
        name: name.trim(),
        subject: line.trim(),
        description: description.trim() === '' ? null : description.trim(),
      }),
    refreshes: [templateKeys.all],
    success: { title: look.success },
    failure: { title: 'Erro ao salvar template', fallback: 'Corrija o campo destacado e tente novamente.' },
    next: () => void navigate(paths.adminEmailTemplates(), { state: SAVED }),
    onFailure: (error) => {
      // These the server says in words for people, with the names.
      for (const field of fieldsAtFault(error, subject)) form.setError(field, { message: error.message });
    },
  });

  const inUse = templatesInUse(templates.data ?? []).get(trigger);
  const replaced = templates.data?.find((template) => template.id === inUse && template.id !== id);
  const submit = form.handleSubmit(
    (values) => saving.run(values),
    () =>
      toast({
        title: 'Erro de Validação',
        description: 'Por favor, preencha todos os campos obrigatórios.',
        tone: 'destructive',
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
                  <Input {...control} {...form.field('name')} autoComplete="off" maxLength={255} />
                )}
              </Field>
              <Field label="Descrição (Interna)" error={errors.description?.message}>
                {(control) => (
                  <Textarea {...control} {...form.field('description')} rows={2} maxLength={1000} />
                )}
              </Field>
              <Field
                label="Assunto do Email *"
                required
                error={errors.subject?.message}
                hint={<TemplateFindings findings={findingsIn(subject, trigger)} />}
              >
                {(control) => (
                  <Input {...control} {...form.field('subject')} autoComplete="off" maxLength={200} />
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
                    {...form.field('event_trigger')}
                    placeholder="Selecione um gatilho"
                    options={triggersOnOffer(settingsInForce(settings.data ?? {}), trigger)}
                  />
                )}
              </Field>
              <Controller
                control={form.control}
                name="html_content"
                render={({ field: { value, onChange, ref } }) => (
                  <TemplateContent
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
                      <TemplateFindings
                        findings={findingsIn(html, trigger)}
                        heavyPicture={hasHeavyPicture(html)}
                      />
                    }
                  />
                )}
              />
            </div>
            <div className="border-hairline flex flex-col-reverse gap-2 border-t px-5 py-4 sm:flex-row sm:justify-end sm:px-6">
              <ButtonLink to={paths.adminEmailTemplates()} variant="secondary">
                Cancelar
              </ButtonLink>
              <Button type="submit" pending={saving.pending}>
                {look.submit}
              </Button>
            </div>
          </form>
        </Card>
        <VariablesBox trigger={trigger} onInsert={(text) => content.current?.insert(text)} />
      </div>
      <TemplatePreview className="mt-6" draft={{ event_trigger: trigger, subject, html_content: html }} />
      <UnsavedChanges when={isDirty} description="As alterações deste template ainda não foram salvas." />
    </>
  );
}

/** Where a refusal of the server belongs. */
function fieldsAtFault(error: unknown, subject: string): ('subject' | 'html_content')[] {
  const { code } = failureOf(error);
  if (code === 'template_subject') return ['subject'];
  if (code === 'template_image') return ['html_content'];
  if (code !== 'template_variables') return [];
  return findingsIn(subject, '').unknown.length > 0 ? ['subject'] : ['html_content'];
}
