// Step of the mails: the state of the sending, a test message, and the notifications that clients expect.
import { useQuery } from '@tanstack/react-query';
import { BellRing, Send } from 'lucide-react';

import { TextLink } from '~/components/text-link';
import { emailKeys } from '~/features/email/api/log';
import { emailSettingKeys, emailSettingsQuery, saveEmailSettings } from '~/features/email/api/settings';
import { sendTestMail } from '~/features/email/api/templates';
import { effectiveSettings, isSentNightly } from '~/features/email/email-events';
import { useApiMutation } from '~/hooks/use-api-mutation';
import type { SmtpStatus } from '~/lib/api/database';
import { formatDateTime } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';

const TEST = {
  event_trigger: 'aviso_geral',
  subject: 'Teste de envio do portal',
  html_content: '<p>Esta mensagem de teste chegou: o portal envia e-mails.</p>',
};

export function MailStep({ smtp }: { smtp: SmtpStatus | undefined }) {
  const test = useApiMutation({
    mutationFn: () => sendTestMail(TEST),
    invalidates: [emailKeys.all],
    successToast: ({ recipient }) => ({
      title: 'Teste na fila de e-mails',
      description:
        smtp?.configured === false
          ? `O envio ainda não está configurado: o teste para ${recipient} espera na fila.`
          : `Chega em instantes em ${recipient}.`,
    }),
    errorToast: { title: 'Erro ao enviar teste' },
  });
  return (
    <>
      {smtp && <p className="text-muted-foreground wrap-anywhere">{describeSmtp(smtp)}</p>}
      {smtp?.configured && smtp.last_error !== null && (
        <p className="text-danger wrap-anywhere">Última falha: {smtp.last_error}</p>
      )}
      <Button
        variant="secondary"
        icon={<Send size={20} aria-hidden />}
        pending={test.isPending}
        onClick={() => test.mutate()}
      >
        Enviar um teste para mim
      </Button>
      <ProposedNotifications />
    </>
  );
}

function describeSmtp({ configured, sender, last_sent_at: sentAt }: SmtpStatus): string {
  if (!configured) {
    return 'O servidor de e-mails se configura no servidor do portal (smtp_url e mail_from). Até lá, os e-mails esperam na fila.';
  }
  const from = sender === null ? '' : ` Remetente: ${sender}.`;
  return sentAt === null
    ? `O envio está configurado, e nenhum e-mail saiu ainda.${from}`
    : `O último e-mail saiu em ${formatDateTime(sentAt)}.${from}`;
}

/** Turns on the mails at the time of an event. Those of due dates concern documents that exist, and show whom first. */
function ProposedNotifications() {
  const { data } = useQuery(emailSettingsQuery());
  const missing = Object.entries(data ? effectiveSettings(data) : {}).flatMap(([key, isOn]) =>
    isOn || isSentNightly(key) ? [] : [key],
  );
  const saving = useApiMutation({
    mutationFn: saveEmailSettings,
    invalidates: [emailSettingKeys.all],
    successToast: { title: 'Avisos ligados' },
    errorToast: { title: 'Erro ao ligar os avisos' },
  });
  if (!data) return null;
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-muted-foreground">
        {missing.length === 0
          ? 'Os clientes recebem um e-mail quando chega um documento, uma resposta ou um pedido.'
          : `Clientes esperam um e-mail quando chega um documento, uma resposta ou um pedido: ${pluralize(missing.length, 'aviso está desligado', 'avisos estão desligados')}.`}{' '}
        Avisos de vencimento se ligam em{' '}
        <TextLink to={paths.adminEmailConfig()} className="underline">
          Config. Email
        </TextLink>
        .
      </p>
      {missing.length > 0 && (
        <Button
          variant="secondary"
          icon={<BellRing size={20} aria-hidden />}
          pending={saving.isPending}
          onClick={() => saving.mutate(Object.fromEntries(missing.map((key) => [key, true])))}
        >
          Ligar estes avisos
        </Button>
      )}
    </div>
  );
}
