// Preview of an e-mail template.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Monitor, Send, Smartphone } from 'lucide-react';
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
import { ToggleGroup } from '~/ui/toggle-group';

type TemplateContent = Pick<TemplateDraft, 'event_trigger' | 'subject' | 'html_content'>;
type Width = 'desktop' | 'phone';

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
  const [width, setWidth] = useState<Width>('desktop');
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
      className={cn('min-w-0', className)}
      action={
        <ToggleGroup
          label="Largura"
          variant="quiet"
          value={width}
          options={WIDTHS.map(({ label, ...option }) => ({
            ...option,
            label: <span className="max-sm:sr-only">{label}</span>,
          }))}
          onChange={setWidth}
        />
      }
    >
      <div className="grid items-end gap-4 p-5 sm:grid-cols-2 xl:grid-cols-[1fr_1fr_auto]">
        <Field label="Cliente">
          {(control) => (
            <ClientCombobox
              {...control}
              placeholder="Dados de exemplo"
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
        <Button
          variant="secondary"
          icon={<Send size={20} aria-hidden />}
          className="sm:max-xl:col-span-2 sm:max-xl:justify-self-start"
          disabled={content.event_trigger === '' || content.html_content.trim() === ''}
          pending={test.isPending}
          onClick={() => test.mutate(draft)}
        >
          Enviar teste para mim
        </Button>
      </div>
      {!isReady && (
        <p className="text-muted-foreground border-border text-body border-t px-5 py-10 text-center">
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
          className="border-border border-t"
        >
          <Removed removed={preview.data.removed} html={debounced.html_content} />
          <p className="px-5 pt-4 wrap-anywhere">
            <span className="text-muted-foreground">Assunto: </span>
            <span className="font-medium">{preview.data.subject}</span>
          </p>
          <div className="bg-muted mt-4 overflow-x-auto p-3 sm:p-6">
            <iframe
              title="E-mail"
              // The sandbox disables scripts, forms and navigation.
              sandbox=""
              srcDoc={preview.data.html}
              className={cn(
                'border-border mx-auto block h-160 rounded border bg-white',
                width === 'phone' ? 'w-97.5 max-w-full' : 'w-full max-w-200',
              )}
            />
          </div>
        </div>
      )}
    </Panel>
  );
}

/** Notice about markup that the server removes and about external images, which the preview does not show. */
function Removed({ removed, html }: { removed: readonly string[]; html: string }) {
  const hasPictures = /<img[^>]+src\s*=\s*["']?https?:/i.test(html);
  if (removed.length === 0 && !hasPictures) return null;
  return (
    <div className="text-muted-foreground flex flex-col gap-1 px-5 pt-4 text-sm">
      {removed.length > 0 && (
        <p role="status" className="text-warning wrap-anywhere">
          Ao enviar, será removido: {removed.join(', ')}.
        </p>
      )}
      {hasPictures && <p>Imagens de outros endereços só aparecem no e-mail recebido.</p>}
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
