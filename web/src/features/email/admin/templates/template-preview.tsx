// Preview of an e-mail template.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Monitor, Moon, Send, Smartphone } from 'lucide-react';
import { useState } from 'react';

import { documentsOfClientQuery, ticketsOfClientQuery } from '~/features/clients/api/client-records';
import type { Client } from '~/features/clients/api/clients';
import { ClientCombobox } from '~/features/clients/components/client-combobox';
import { emailKeys, smtpStatusQuery } from '~/features/email/api/log';
import { templatePreviewQuery, sendTestMail } from '~/features/email/api/templates';
import { subjectOf } from '~/features/email/template-variables';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import type { TemplateDraft } from '~/lib/api/database';
import { toUserMessage } from '~/lib/api/error-messages';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { cn } from '~/ui/cn';
import { Field } from '~/ui/field';
import { Select } from '~/ui/select';
import { Skeleton } from '~/ui/skeleton';
import { ToggleButton, ToggleGroup } from '~/ui/toggle-group';

import { MailFrame, type MailWidth } from './mail-frame';

type TemplateContent = Pick<TemplateDraft, 'event_trigger' | 'subject' | 'html_content'>;

const WIDTHS = [
  { value: 'desktop', label: 'Computador', icon: <Monitor size={18} aria-hidden /> },
  { value: 'phone', label: 'Celular', icon: <Smartphone size={18} aria-hidden /> },
] as const;

/** Renders the draft with the data of a client or with sample data. */
export function TemplatePreview({
  draft: content,
  className,
}: {
  draft: TemplateContent;
  className?: string;
}) {
  const [client, setClient] = useState<Client | null>(null);
  const [about, setAbout] = useState('');
  const [width, setWidth] = useState<MailWidth>('desktop');
  const [isDark, setIsDark] = useState(false);
  const subject = subjectOf(content.event_trigger);
  const draft: TemplateDraft = {
    ...content,
    ...(client && { client_id: client.id }),
    ...(about !== '' && (subject === 'ticket' ? { ticket_id: about } : { document_id: about })),
  };
  // Serialized, because the debounce compares by identity and the draft is a new object in each render.
  const settled = useDebouncedValue(JSON.stringify(draft));
  const debounced: TemplateDraft = JSON.parse(settled);
  const isReady = debounced.event_trigger !== '' && debounced.html_content.trim() !== '';
  const preview = useQuery({ ...templatePreviewQuery(debounced), enabled: isReady });
  const status = useQuery(smtpStatusQuery());
  const test = useApiMutation({
    mutationFn: sendTestMail,
    invalidates: [emailKeys.all],
    successToast: ({ recipient }) => ({
      title: 'Teste na fila de e-mails',
      description:
        status.data?.configured === false
          ? `O envio ainda não está configurado: o teste para ${recipient} espera na fila.`
          : `Chega em instantes em ${recipient}.`,
    }),
    errorToast: { title: 'Erro ao enviar teste', fallback: 'Corrija o template e tente novamente.' },
  });
  return (
    <Panel
      title="Pré-visualização"
      className={cn('flex min-w-0 flex-col', className)}
      action={
        <Button
          variant="quiet"
          icon={<Send size={20} aria-hidden />}
          className="-mr-3"
          disabled={content.event_trigger === '' || content.html_content.trim() === ''}
          pending={test.isPending}
          onClick={() => test.mutate(draft)}
        >
          <span>
            Enviar teste<span className="max-sm:sr-only"> para mim</span>
          </span>
        </Button>
      }
    >
      <div className="grid gap-4 px-5 py-4 sm:grid-cols-2">
        <Field label="Cliente">
          {(control) => (
            <ClientCombobox
              {...control}
              placeholder="Dados de exemplo"
              keepsSelection
              disabled={false}
              onChange={(chosen) => {
                setClient(chosen);
                setAbout('');
              }}
            />
          )}
        </Field>
        {subject !== 'request' && (
          <AboutPicker
            // A new client or kind resets the selection.
            key={`${client?.id} ${subject}`}
            client={client}
            forTickets={subject === 'ticket'}
            value={about}
            onChange={setAbout}
          />
        )}
      </div>
      {!isReady && (
        <p className="text-muted-foreground border-border text-body flex flex-1 items-center justify-center border-t px-5 py-10 text-center">
          Escolha o gatilho e escreva o conteúdo para ver o e-mail.
        </p>
      )}
      {isReady && preview.isPending && <Skeleton className="mx-5 mb-5 h-96" />}
      {isReady && preview.isError && (
        <Alert variant="danger" className="mx-5 mb-5">
          <p>{toUserMessage(preview.error, 'A pré-visualização não pôde ser feita.')}</p>
          <Button variant="quiet" className="-ml-4" onClick={() => void preview.refetch()}>
            Tentar novamente
          </Button>
        </Alert>
      )}
      {isReady && preview.data && !preview.isError && (
        <div
          aria-busy={preview.isPlaceholderData || settled !== JSON.stringify(draft)}
          className="border-border flex min-h-0 flex-1 flex-col border-t"
        >
          <div className="flex flex-wrap items-center justify-between gap-1 px-3 py-1.5 max-sm:gap-0 max-sm:px-1">
            <ToggleGroup label="Largura" variant="quiet" value={width} options={WIDTHS} onChange={setWidth} />
            <ToggleButton pressed={isDark} icon={<Moon size={18} aria-hidden />} onChange={setIsDark}>
              Escuro
            </ToggleButton>
          </div>
          <Notices
            removed={preview.data.removed}
            html={debounced.html_content}
            isLightOnly={isDark && preview.data.html.includes(LIGHT_ONLY)}
          />
          <p className="border-border border-t px-5 py-3 wrap-anywhere">
            <span className="text-muted-foreground">Assunto: </span>
            <span className="font-medium">{preview.data.subject}</span>
          </p>
          <MailFrame
            html={preview.data.html}
            width={width}
            isDark={isDark}
            className="border-border bg-muted h-160 rounded-b border-t xl:h-auto xl:min-h-80 xl:flex-1"
          />
        </div>
      )}
    </Panel>
  );
}

/** The mark of a mail that looks the same in light and in dark windows. */
const LIGHT_ONLY = 'content="light only"';

type NoticesProps = { removed: readonly string[]; html: string; isLightOnly: boolean };

/** Notices about markup that the server removes, and about what the preview or a dark window does not show. */
function Notices({ removed, html, isLightOnly }: NoticesProps) {
  const hasPictures = /<img[^>]+src\s*=\s*["']?https?:/i.test(html);
  if (removed.length === 0 && !hasPictures && !isLightOnly) return null;
  return (
    <div className="text-muted-foreground flex flex-col gap-1 px-5 pb-3 text-sm">
      {removed.length > 0 && (
        <p role="status" className="text-warning wrap-anywhere">
          Ao enviar, será removido: {removed.join(', ')}.
        </p>
      )}
      {hasPictures && <p>Imagens de outros endereços só aparecem no e-mail recebido.</p>}
      {isLightOnly && <p>Este conteúdo define cores, por isso o e-mail fica claro também no modo escuro.</p>}
    </div>
  );
}

type AboutPickerProps = {
  client: Client | null;
  forTickets: boolean;
  value: string;
  onChange: (id: string) => void;
};

/** Select of the sample document or ticket: a recent one of the client, or an example. */
function AboutPicker({ client, forTickets, value, onChange }: AboutPickerProps) {
  const id = client?.id ?? '';
  const documents = useInfiniteQuery({
    ...documentsOfClientQuery(id),
    enabled: id !== '' && !forTickets,
  });
  const tickets = useInfiniteQuery({ ...ticketsOfClientQuery(id), enabled: id !== '' && forTickets });
  const options = forTickets
    ? (tickets.data?.pages.flat() ?? []).map((ticket) => ({ value: ticket.id, label: ticket.subject }))
    : (documents.data?.pages.flat() ?? []).map((document) => ({ value: document.id, label: document.name }));
  return (
    <Field label={forTickets ? 'Ticket' : 'Documento'}>
      {(control) => (
        <Select
          {...control}
          value={value}
          disabled={client === null}
          placeholder="Dados de exemplo"
          options={options}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
