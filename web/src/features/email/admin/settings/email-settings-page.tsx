// Page of the e-mail notification settings.
import { useQuery } from '@tanstack/react-query';
import { List, Save } from 'lucide-react';
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { smtpStatusQuery } from '~/features/email/api/log';
import {
  previewSettingsRecipients,
  emailSettingKeys,
  type EmailSettings,
  emailSettingsQuery,
  saveEmailSettings,
} from '~/features/email/api/settings';
import {
  documentSettings,
  isSentNightly,
  type SettingGroup,
  effectiveSettings,
  reminderSettings,
  requestSettings,
  ticketSettings,
} from '~/features/email/email-events';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import type { RecipientPreview } from '~/lib/api/database';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Checkbox } from '~/ui/checkbox';
import { SkeletonList } from '~/ui/skeleton';

import { SmtpStatusCard } from '../smtp-status-card';
import { RecipientsDialog } from './recipients-dialog';

const FAILED = { title: 'Erro ao salvar configurações' };

export function loader() {
  void queryClient.prefetchQuery(emailSettingsQuery());
  void queryClient.prefetchQuery(smtpStatusQuery());
  return null;
}

export { EmailSettingsPage as Component };

function EmailSettingsPage() {
  const settings = useQuery(emailSettingsQuery());
  return (
    <>
      <PageHeader
        title="Configurações de Notificação por Email"
        secondary={
          <ButtonLink to={paths.adminEmailLog()} variant="secondary" icon={<List size={20} aria-hidden />}>
            Registro de envios
          </ButtonLink>
        }
      />
      <div className="flex max-w-3xl flex-col gap-6">
        <Alert variant="info">
          <strong className="font-semibold">Atenção:</strong> esta configuração é global e vale para todos os
          clientes. Os emails são disparados automaticamente a partir dos templates definidos, e o provedor de
          email precisa estar configurado no serviço de backend. Sem template definido, sai o texto padrão do
          portal.
        </Alert>
        <SmtpStatusCard />
        <QueryContent query={settings} loading={<SkeletonList rows={4} rowClassName="h-28" />} card>
          {(data) => <SettingsForm stored={data} />}
        </QueryContent>
      </div>
    </>
  );
}

/** The changes to save, and all settings as they will be, for the preview of the recipients. */
type Saving = { changes: EmailSettings; settings: EmailSettings };

function SettingsForm({ stored }: { stored: EmailSettings }) {
  const saved = effectiveSettings(stored);
  const [changed, setChanged] = useState<EmailSettings>({});
  const settings = { ...saved, ...changed };
  // Defaults are saved, too: a template can have a trigger once its setting is saved.
  const changes = Object.fromEntries(
    Object.entries(settings).filter(([key, enabled]) => stored[key] !== enabled),
  );
  const audience = useDialogState<{ changes: EmailSettings; audience: RecipientPreview[] }>();
  const save = useApiMutation({
    mutationFn: saveEmailSettings,
    invalidates: [emailSettingKeys.all],
    successToast: { title: 'Configurações salvas com sucesso!' },
    errorToast: FAILED,
    onSuccess: (_, sent) => {
      // The cache holds the saved settings until the refetch completes.
      queryClient.setQueryData(emailSettingsQuery().queryKey, (old) => ({ ...old, ...sent }));
      // Changes made during the request are kept.
      setChanged((now) =>
        Object.fromEntries(Object.entries(now).filter(([key, on]) => (sent[key] ?? saved[key]) !== on)),
      );
    },
    onSettled: audience.close,
  });
  const check = useApiMutation({
    mutationFn: (asked: Saving) => previewSettingsRecipients(asked.settings),
    errorToast: FAILED,
    onSuccessIfMounted: (found, asked) => {
      const mailed = found.filter(({ setting, count }) => count > 0 && setting !== null && !saved[setting]);
      if (mailed.length === 0) return save.mutate(asked.changes);
      audience.show({ changes: asked.changes, audience: mailed });
    },
  });
  const turnedOn = Object.keys(settings).filter((key) => settings[key] === true && saved[key] !== true);
  const group = (entry: SettingGroup) => (
    <Group
      key={entry.title}
      group={entry}
      settings={settings}
      onChange={(key, enabled) => setChanged((now) => ({ ...now, [key]: enabled }))}
    />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (check.isPending || save.isPending) return;
        if (turnedOn.some(isSentNightly)) check.mutate({ changes, settings });
        else save.mutate(changes);
      }}
    >
      <Card>
        <div className="divide-border grid divide-y sm:grid-cols-2 sm:divide-y-0">
          {documentSettings.map(group)}
        </div>
        <div className="border-border divide-border grid divide-y border-t sm:grid-cols-2 sm:divide-y-0">
          {[ticketSettings, requestSettings, reminderSettings].map(group)}
        </div>
        <div className="border-border flex flex-col gap-4 border-t p-5 sm:flex-row sm:items-center sm:justify-between">
          <p className="text-muted-foreground max-w-md text-sm">
            O remetente e o SMTP são gerenciados nas configurações do projeto no backend.
          </p>
          <Button
            type="submit"
            icon={<Save size={20} aria-hidden />}
            pending={check.isPending || save.isPending}
            className="shrink-0"
          >
            Salvar Configurações
          </Button>
        </div>
      </Card>
      <UnsavedChangesGuard
        enabled={Object.keys(settings).some((key) => settings[key] !== saved[key])}
        description="As configurações alteradas ainda não foram salvas."
      />
      <RecipientsDialog
        open={audience.open}
        audience={audience.item?.audience ?? []}
        pending={save.isPending}
        onCancel={audience.close}
        onConfirm={() => audience.item && save.mutate(audience.item.changes)}
      />
    </form>
  );
}

type GroupProps = {
  group: SettingGroup;
  settings: EmailSettings;
  onChange: (key: string, enabled: boolean) => void;
};

function Group({ group, settings, onChange }: GroupProps) {
  return (
    <fieldset className="min-w-0 px-5 pt-5 pb-3">
      <legend className="contents">
        <span className="text-lg font-semibold tracking-tight">{group.title}</span>
      </legend>
      <div className="mt-1">
        {group.settings.map(({ key, label }) => (
          <Checkbox
            key={key}
            label={label}
            checked={settings[key] ?? false}
            onChange={({ target }) => onChange(key, target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
