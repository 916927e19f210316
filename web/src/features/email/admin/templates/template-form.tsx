// Form that creates or edits an e-mail template.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Controller } from 'react-hook-form';
import { useNavigate } from 'react-router';

import { EditConflictDialog } from '~/components/edit-conflict-dialog';
import { FormActions } from '~/components/form-actions';
import { TextField } from '~/components/form-fields';
import { SelectField, TextareaField } from '~/components/more-form-fields';
import { SAVED, UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { emailSettingsQuery } from '~/features/email/api/settings';
import {
  type EmailTemplate,
  templateKeys,
  templatesQuery,
  type TemplateInput,
} from '~/features/email/api/templates';
import type { EditorHandle } from '~/features/email/editor/email-editor';
import { availableTriggers } from '~/features/email/email-events';
import { findTemplateWarnings, hasOversizedImage } from '~/features/email/template-variables';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { type EditConflict, useGuardedSave } from '~/hooks/use-guarded-save';
import { REQUIRED_FIELDS_TOAST, useZodForm } from '~/hooks/use-zod-form';
import { getErrorInfo } from '~/lib/api/errors';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Card } from '~/ui/card';

import { templatesInUse } from './active-templates';
import { insertAtCursor } from './insert-at-cursor';
import { StartingPointMenu } from './starting-point-menu';
import { type StartingPoint, startingPoint } from './starting-points';
import { TemplateContentField } from './template-content-field';
import { useTemplateDraft } from './template-draft';
import { TemplatePreview } from './template-preview';
import { templateSchema, type TemplateValues } from './template-schema';
import { TemplateWarnings } from './template-warnings';
import { VariablesBox } from './variables-box';

const copy = {
  new: { submit: 'Criar Template', success: 'Template criado com sucesso!' },
  edit: { submit: 'Salvar Template', success: 'Template atualizado com sucesso!' },
} as const;

type TemplateFormProps<Version> = {
  mode: 'new' | 'edit';
  initial: TemplateValues;
  /** The template as last read; null for a new one. */
  version: Version;
  save: (template: TemplateInput, seen: Version) => Promise<EditConflict<Version, TemplateValues> | null>;
};

export function TemplateForm<Version extends EmailTemplate | null>({
  mode,
  initial,
  version,
  save,
}: TemplateFormProps<Version>) {
  const navigate = useNavigate();
  const texts = copy[mode];
  const content = useRef<EditorHandle>(null);
  // The subject field, while it is the field of the form's two texts that had the focus last.
  const focusedSubject = useRef<HTMLInputElement>(null);
  const [taken, setTaken] = useState<StartingPoint>();
  const form = useZodForm(templateSchema, initial, { invalidToast: REQUIRED_FIELDS_TOAST });
  const settings = useQuery(emailSettingsQuery());
  const templates = useQuery(templatesQuery());
  const { isDirty } = form.formState;
  const guard = useGuardedSave({
    form,
    version,
    save: ({ name, description, subject: line, ...values }, seen) =>
      save(
        {
          ...values,
          name: name.trim(),
          subject: line.trim(),
          description: description.trim() === '' ? null : description.trim(),
        },
        seen,
      ),
  });
  const current = form.watch();
  const { subject, event_trigger: trigger, html_content: html } = current;
  const draft = useTemplateDraft({
    seen: guard.seen,
    values: current,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the draft of an existing template has a template.
    onRestore: ({ seen, edited }) => guard.resume(seen as Version, edited),
  });

  const saving = useApiMutation({
    mutationFn: guard.save,
    invalidates: [templateKeys.all],
    successToast: (isSaved) => (isSaved ? { title: texts.success } : null),
    errorToast: {
      title: 'Erro ao salvar template',
      fallback: 'Corrija o campo destacado e tente novamente.',
    },
    onSuccess(isSaved) {
      if (isSaved) draft.remove?.();
    },
    onSuccessIfMounted(isSaved) {
      if (isSaved) void navigate(paths.adminEmailTemplates(), { state: SAVED });
    },
    onError: (error) => {
      // The server's messages for these errors are in Portuguese and name the variables.
      for (const [at, field] of fieldsAtFault(error, subject).entries())
        form.setError(field, { message: error.message }, { shouldFocus: at === 0 });
    },
  });

  const inUse = templatesInUse(templates.data ?? []).get(trigger);
  const replaced = templates.data?.find((template) => template.id === inUse && template.id !== version?.id);
  const submit = form.handleSubmit((values) => saving.mutate(values));
  const isWritten =
    (subject.trim() !== '' && subject !== taken?.subject) ||
    (html.trim() !== '' && html !== taken?.html_content);
  const take = (chosen: string) => {
    const ready = startingPoint(chosen);
    if (!ready) return;
    const isNamed = current.name.trim() !== '' && current.name !== taken?.name;
    const values = { ...ready, name: isNamed ? current.name : ready.name, event_trigger: chosen };
    for (const field of ['name', 'subject', 'event_trigger', 'html_content'] as const) {
      form.setValue(field, values[field], { shouldDirty: true });
      form.clearErrors(field);
    }
    setTaken(ready);
  };
  const insert = (text: string) => {
    if (focusedSubject.current) insertAtCursor(focusedSubject.current, text);
    else content.current?.insert(text);
  };
  const triggers = availableTriggers(settings.data ?? {}, trigger);
  return (
    <>
      {draft.isRestored && isDirty && (
        <Alert variant="info" className="mb-6">
          O que você escreveu antes continua aqui, e ainda não foi salvo.
        </Alert>
      )}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,11fr)_minmax(0,10fr)]">
        <Card>
          {mode === 'new' && <StartingPointMenu triggers={triggers} isWritten={isWritten} onTake={take} />}
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
                onFocus={({ currentTarget }) => {
                  focusedSubject.current = currentTarget;
                }}
              />
              <SelectField
                {...form.bind('event_trigger')}
                label="Gatilho do Evento *"
                {...(replaced && {
                  hint: `O template “${replaced.name}” está em uso neste gatilho. Ao salvar, este aqui toma o lugar dele.`,
                })}
                required
                placeholder="Selecione um gatilho"
                options={triggers}
              />
              <VariablesBox trigger={trigger} onInsert={insert} />
              <Controller
                control={form.control}
                name="html_content"
                render={({ field: { value, onChange, ref } }) => (
                  <TemplateContentField
                    onFocus={() => {
                      focusedSubject.current = null;
                    }}
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
        <TemplatePreview
          className="xl:sticky xl:top-[calc(5.5rem+var(--banner,0px))] xl:h-[calc(100dvh-7rem-var(--banner,0px))] xl:min-h-140"
          draft={{ event_trigger: trigger, subject, html_content: html }}
        />
      </div>
      <EditConflictDialog
        conflict={guard.conflict}
        labels={TEMPLATE_LABELS}
        describe={(field, value) => (field === 'html_content' ? textOfHtml(value) : value)}
        pending={saving.isPending}
        onDiscard={guard.discard}
        onOverwrite={() => void submit()}
      />
      <UnsavedChangesGuard
        enabled={isDirty}
        description="As alterações deste template ainda não foram salvas."
        onDiscardDraft={draft.remove}
      />
    </>
  );
}

const TEMPLATE_LABELS = {
  name: 'Nome do Template',
  description: 'Descrição (Interna)',
  subject: 'Assunto do Email',
  event_trigger: 'Gatilho do Evento',
  html_content: 'Conteúdo HTML do Email',
};

/** The text of a mail without its markup. Each block begins a line. */
function textOfHtml(html: string): string {
  const blocks = html.replaceAll(/<(?:br|\/p|\/div|\/h\d|\/li|\/tr)\b[^>]*>/gi, '$&\n');
  const { body } = new DOMParser().parseFromString(blocks, 'text/html');
  return body.textContent.trim();
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
