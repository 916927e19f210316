// Form of the office's settings.
import { Save } from 'lucide-react';

import { EditConflictDialog } from '~/components/edit-conflict-dialog';
import { EmailField, TextField } from '~/components/form-fields';
import { TextareaField } from '~/components/more-form-fields';
import { StickyAction } from '~/components/sticky-action';
import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import {
  officeKeys,
  type OfficeSettings,
  officeSettingsQuery,
  saveOfficeSettings,
} from '~/features/office/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useGuardedSave } from '~/hooks/use-guarded-save';
import { useZodForm } from '~/hooks/use-zod-form';
import { getErrorInfo } from '~/lib/api/errors';
import { queryClient } from '~/lib/api/query-client';
import { formatDate } from '~/lib/dates';
import { describeOpeningHours } from '~/lib/opening-hours';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';

import { ColorField } from './color-field';
import { dayOffLabels, DayOffRulesField } from './day-off-rules-field';
import { HolidaysField } from './holidays-field';
import { LogoField } from './logo-field';
import { OpeningHoursField } from './opening-hours-field';
import {
  officeSchema,
  type OfficeValues,
  parseDayOffChoices,
  parseHolidays,
  parsePeriods,
  toChanges,
  toValues,
  valueLabels,
} from './settings-values';

const fieldsClasses = 'flex flex-col gap-5 p-5';

export function SettingsForm({ saved }: { saved: OfficeSettings }) {
  const form = useZodForm<OfficeValues>(officeSchema, toValues(saved), {
    invalidToast: (description) => ({ title: 'Erro de Validação', description }),
  });
  const guard = useGuardedSave({
    form,
    version: saved,
    save: (values, seen) => saveOfficeSettings(toChanges(values), { seen, mine: values, toValues }),
  });
  const saving = useApiMutation({
    mutationFn: guard.save,
    invalidates: [officeKeys.all],
    successToast: (isSaved) => (isSaved ? { title: 'Configurações salvas com sucesso!' } : null),
    errorToast: { title: 'Erro ao salvar configurações' },
    onSuccess(isSaved, sent) {
      const stored = queryClient.getQueryData(officeSettingsQuery().queryKey);
      if (!isSaved || !stored) return;
      // The form continues from the saved version, with the input that was typed meanwhile.
      const typed = Object.entries(form.getValues()).filter(
        ([field, value]) => value !== Reflect.get(sent, field),
      );
      form.reset(toValues(stored));
      guard.resume(stored, Object.fromEntries(typed));
    },
    onError: (error) => {
      // The server's messages for these errors are sentences in Portuguese.
      if (getErrorInfo(error).code === 'office_settings') form.setError('root', { message: error.message });
    },
  });
  const set = (field: keyof OfficeValues) => (value: string) => {
    form.clearErrors(field);
    form.setValue(field, value, { shouldDirty: true });
  };
  const values = form.watch();
  const submit = form.handleSubmit((sent) => saving.mutate(sent));
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-6">
      <Panel title="Identidade">
        <div className={fieldsClasses}>
          <TextField
            {...form.bind('name')}
            label={valueLabels.name}
            hint="Sem nome, o portal mostra o nome definido no servidor (product_name)."
            maxLength={80}
            autoComplete="organization"
          />
          <LogoField value={values.logo} onChange={set('logo')} />
          <ColorField field={form.bind('color')} value={values.color} onChange={set('color')} />
          <TextareaField
            {...form.bind('welcome_text')}
            label={valueLabels.welcome_text}
            hint="Aparece na página de entrada dos clientes, em telas largas."
            rows={2}
            maxLength={500}
          />
        </div>
      </Panel>
      <Panel title="Contato">
        <div className={fieldsClasses}>
          <p className="text-muted-foreground text-sm">
            Telefone, WhatsApp e e-mail aparecem na página de entrada, para quem precisa de ajuda.
          </p>
          <div className="grid gap-5 sm:grid-cols-2">
            <TextField
              {...form.bind('phone')}
              label={valueLabels.phone}
              inputMode="tel"
              maxLength={30}
              autoComplete="tel"
            />
            <TextField
              {...form.bind('whatsapp')}
              label={valueLabels.whatsapp}
              inputMode="tel"
              maxLength={30}
              autoComplete="off"
            />
          </div>
          <EmailField
            {...form.bind('email')}
            label={valueLabels.email}
            maxLength={254}
            autoComplete="email"
          />
          <TextareaField {...form.bind('address')} label={valueLabels.address} rows={2} maxLength={300} />
        </div>
      </Panel>
      <Panel title={valueLabels.opening_hours}>
        <div className="p-5">
          <p className="text-muted-foreground mb-2 text-sm">
            O prazo de resposta dos tickets, de 24 horas, conta só este horário. Sem horário, contam todas as
            horas dos dias úteis.
          </p>
          <OpeningHoursField
            value={values.opening_hours}
            error={form.errorOf('opening_hours')}
            onChange={set('opening_hours')}
          />
        </div>
      </Panel>
      <Panel title={valueLabels.holidays}>
        <div className="p-5">
          <HolidaysField
            value={values.holidays}
            error={form.errorOf('holidays')}
            onChange={set('holidays')}
          />
        </div>
      </Panel>
      <Panel title={valueLabels.day_off_rules}>
        <div className="p-5">
          <p className="text-muted-foreground mb-4 text-sm">
            Quando o vencimento cai em fim de semana ou feriado, o portal diz ao cliente até quando pagar, e
            os lembretes contam a partir desse dia. Confira a regra dos impostos do seu estado e município.
          </p>
          <DayOffRulesField value={values.day_off_rules} onChange={set('day_off_rules')} />
        </div>
      </Panel>
      <Panel title="E-mails aos clientes">
        <div className={fieldsClasses}>
          <TextField
            {...form.bind('mail_sender_name')}
            label={valueLabels.mail_sender_name}
            hint="Sem ele, vale o nome definido no servidor (mail_from), ou o do escritório."
            maxLength={80}
            autoComplete="off"
          />
          <TextareaField
            {...form.bind('mail_footer')}
            label={valueLabels.mail_footer}
            hint="Por exemplo, o endereço e o registro profissional."
            rows={3}
            maxLength={500}
          />
        </div>
      </Panel>
      {form.formState.errors.root?.message !== undefined && (
        <p role="alert" className="text-danger">
          {form.formState.errors.root.message}
        </p>
      )}
      <div className="flex justify-end">
        <StickyAction>
          <Button type="submit" icon={<Save size={20} aria-hidden />} pending={saving.isPending}>
            Salvar Configurações
          </Button>
        </StickyAction>
      </div>
      <UnsavedChangesGuard
        enabled={form.formState.isDirty}
        description="As configurações alteradas ainda não foram salvas."
      />
      <EditConflictDialog
        conflict={guard.conflict}
        labels={valueLabels}
        describe={(field, value) => describe(field, value)}
        pending={saving.isPending}
        onDiscard={guard.discard}
        onOverwrite={submit}
      />
    </form>
  );
}

/** The text of a value in the dialog about a conflict. */
function describe(field: keyof OfficeValues, value: string): string {
  if (field === 'logo') return value === '' ? '' : 'Uma imagem';
  if (field === 'opening_hours') return describeOpeningHours(parsePeriods(value)).join('\n');
  if (field === 'day_off_rules') {
    return Object.entries(parseDayOffChoices(value))
      .map(
        ([category, rule]) => `${CATEGORY_NAMES[category] ?? category}: ${dayOffLabels[rule ?? 'unknown']}`,
      )
      .join('\n');
  }
  if (field !== 'holidays') return value;
  return parseHolidays(value)
    .map(({ on, name }) => `${formatDate(on)} ${name}`)
    .join('\n');
}
