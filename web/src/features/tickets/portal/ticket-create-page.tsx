// Page that creates a ticket.
import { useQuery } from '@tanstack/react-query';
import { Lightbulb } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Link, type LoaderFunctionArgs, useLoaderData, useNavigate, useSearchParams } from 'react-router';

import { FormActions } from '~/components/form-actions';
import { TextField } from '~/components/form-fields';
import { lazyWithPreload } from '~/components/lazy-with-preload';
import { SelectField, TextareaField } from '~/components/more-form-fields';
import { PageHeader } from '~/components/page-header';
import { useUser } from '~/features/auth/session';
import { clientChoiceQuery, requireActiveClient, useActiveClientId } from '~/features/members/client-choice';
import { ticketQuery } from '~/features/tickets/api/ticket-thread';
import { createTicket, type NewTicket, ticketKeys } from '~/features/tickets/api/tickets';
import {
  blankTicket,
  pickDraft,
  isEmpty,
  areEqual,
  loadTicketDraft,
  ticketDraftScope,
  ticketSchema,
} from '~/features/tickets/ticket-draft';
import { ticketCategoryLabels, ticketPriorityLabels } from '~/features/tickets/ticket-labels';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { queryClient, refetchChanged } from '~/lib/api/query-client';
import { serverStatus } from '~/lib/api/server-status';
import {
  type Draft,
  deleteDraftIfUnchanged,
  deleteDraft,
  saveDraft,
  newDraft,
  subscribeToDraft,
} from '~/lib/drafts/drafts';
import { toast, type ToastMessage } from '~/lib/toast';
import { isUuid } from '~/lib/uuid';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Card } from '~/ui/card';
import { toOptions } from '~/ui/select';

import { usePendingTickets } from './use-pending-tickets';

// Loaded on demand, because most tickets are not about a document.
const AboutDocument = lazy(async () => ({ default: (await import('./about-document')).AboutDocument }));
// Loaded with the page, but not counted before its first paint.
const TicketFiles = lazyWithPreload(async () => (await import('./ticket-files')).TicketFiles);
// Loaded on demand, because most tickets are sent.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

const loadQueue = () => import('~/features/tickets/queue/queue-ticket');
/** The code that a ticket without a network needs. The service worker may not have it yet on the first visit. */
const USED_OFFLINE = [
  loadQueue,
  () => import('./tickets-page'),
  () => import('./queued-tickets'),
  () => import('./unsent-tickets'),
];

const categories = toOptions(ticketCategoryLabels);
const priorities = toOptions(ticketPriorityLabels);
const INVALID_TOAST = {
  title: 'Erro no formulário',
  description: 'Por favor, corrija os erros antes de enviar',
};

const QUEUED_TOAST: ToastMessage = {
  title: 'Ticket guardado',
  description: 'Ele será enviado quando houver conexão.',
};
const DRAFT_TOAST: ToastMessage = {
  title: 'Sem conexão',
  description: 'O ticket ficou guardado como rascunho. Envie-o quando a internet voltar.',
};

/** Files of drafts whose tickets were not created, by the draft's id. A reload loses them. */
const keptFiles = new Map<string, readonly File[]>();

/**
 * The first values of a ticket about a document, and the field for files. The page opens when the client of its draft is
 * known and the field is loaded: a field that came later would move the button below it under the pointer.
 */
export async function loader({ request }: LoaderFunctionArgs) {
  const documentId = new URL(request.url).searchParams.get('documento');
  const field = TicketFiles.preload().catch(() => {});
  const client =
    serverStatus.get() === 'up' ? queryClient.ensureQueryData(clientChoiceQuery()).catch(() => {}) : null;
  const about =
    documentId === null ? null : await (await import('./about-document')).askForUpdate(documentId);
  await Promise.all([client, field]);
  return about;
}

export { TicketCreatePage as Component };

function TicketCreatePage() {
  const client = useActiveClientId();
  return (
    <>
      <PageHeader title="Novo Ticket" back={{ to: paths.tickets(), label: 'Voltar para Tickets' }} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card>
          {client === undefined ? (
            <p className="p-5 sm:p-6">
              O portal não respondeu. O formulário aparece assim que houver conexão.
            </p>
          ) : (
            <TicketForm key={client} client={client} />
          )}
        </Card>
        <Tips />
      </div>
    </>
  );
}

function TicketForm({ client }: { client: string }) {
  const navigate = useNavigate();
  const { id: userId } = useUser();
  const scope = useMemo(() => ticketDraftScope(userId, client), [userId, client]);
  const [search] = useSearchParams();
  const asked = search.get('continua');
  const about = useLoaderData<typeof loader>();
  // Drafts with a pending request are excluded. A failed request keeps its draft.
  const pendingIds = usePendingTickets().map(({ id }) => id);
  const [start] = useState<NewTicket>(
    () => about ?? { ...blankTicket, follow_up_of_id: asked && isUuid(asked) ? asked : null },
  );
  const [first] = useState(() => pickDraft(scope, start, pendingIds));
  const [draft, setDraft] = useState(first);
  const [files, setFiles] = useState<readonly File[]>(() => keptFiles.get(first.id) ?? []);
  // A form that still has its first values contains nothing of the user's.
  const isUntouched = (values: NewTicket) => isEmpty(values) || areEqual(values, start);
  // The dialog stays mounted after its first question, for its exit animation.
  const [discard, setDiscard] = useState({ asked: false, open: false });
  const form = useZodForm(ticketSchema, first.values, { invalidToast: INVALID_TOAST });
  const isOffline = useSyncExternalStore(serverStatus.subscribe, serverStatus.get) !== 'up';
  const { follow_up_of_id: follows, document_id: documentId } = first.values;

  const create = useApiMutation({
    mutationFn: async (written: Draft<NewTicket>) => {
      await requireActiveClient(client);
      return createTicket(written);
    },
    mutationKey: ticketKeys.create,
    successToast: { title: 'Ticket criado', description: 'Seu ticket foi enviado com sucesso' },
    errorToast: { title: 'Erro', description: 'Não foi possível criar o ticket. Tente novamente.' },
    onSuccess({ id: ticketId }, written) {
      deleteDraftIfUnchanged(scope, written);
      keptFiles.delete(written.id);
      if (files.length > 0) {
        void import('./send-ticket-files').then(({ sendTicketFiles }) =>
          sendTicketFiles({ ticketId, files }),
        );
      }
      // Not awaited: the new ticket is already in the list, and a pending mutation would show it twice.
      void refetchChanged(ticketKeys.all);
    },
  });

  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ values }) =>
          setDraft((current) => (areEqual(values, current.values) ? current : newDraft(values, current.id))),
      }),
    [form, setDraft],
  );
  useEffect(() => {
    if (isEmpty(draft.values) || areEqual(draft.values, start)) {
      deleteDraft(scope, draft.id);
    } else saveDraft(scope, draft);
  }, [scope, draft, start]);

  // Synchronizes the draft with other tabs.
  useEffect(
    () =>
      subscribeToDraft(scope, first.id, () => {
        const kept = loadTicketDraft(scope, first.id) ?? newDraft(start, first.id);
        setDraft(kept);
        form.reset(kept.values);
      }),
    [form, scope, first, start],
  );

  // After the form, which it must not delay.
  useEffect(() => {
    for (const load of USED_OFFLINE) void load().catch(() => {});
  }, []);

  const keep = async (written: Draft<NewTicket>) => {
    const isQueued = await tryToQueue(userId, written);
    if (isQueued) deleteDraft(scope, written.id);
    toast(isQueued ? QUEUED_TOAST : DRAFT_TOAST);
    void navigate(paths.tickets());
  };

  const send = form.handleSubmit((values) => {
    if (create.isPending) return;
    if (isOffline) {
      void keep({ ...draft, values });
      return;
    }
    keptFiles.set(draft.id, files);
    create.mutate({ ...draft, values });
    void navigate(paths.tickets());
  });
  return (
    <>
      <form noValidate onSubmit={send}>
        <div className="flex flex-col gap-5 p-5 sm:p-6">
          {follows !== null && <FollowedTicket ticketId={follows} />}
          {documentId !== null && (
            <Suspense>
              <AboutDocument documentId={documentId} />
            </Suspense>
          )}
          <TextField {...form.bind('subject')} label="Assunto" required autoComplete="off" maxLength={200} />
          <div className="grid gap-5 sm:grid-cols-2">
            <SelectField {...form.bind('category')} label="Categoria" options={categories} />
            <SelectField {...form.bind('priority')} label="Prioridade" options={priorities} />
          </div>
          <TextareaField {...form.bind('message')} label="Mensagem" required rows={8} />
          {isOffline ? (
            <Alert variant="info">
              Sem conexão. O ticket fica guardado neste aparelho e é enviado quando a internet voltar.
              Arquivos não são guardados: junte-os depois, na página do ticket.
            </Alert>
          ) : (
            <Suspense>
              <TicketFiles files={files} onChange={setFiles} />
            </Suspense>
          )}
        </div>
        <FormActions
          cancelTo={paths.tickets()}
          onCancel={(event) => {
            if (isUntouched(draft.values)) return;
            event.preventDefault();
            setDiscard({ asked: true, open: true });
          }}
          submit={isOffline ? 'Guardar para enviar' : 'Enviar Ticket'}
        />
      </form>
      {discard.asked && (
        <Suspense>
          <ConfirmDialog
            open={discard.open}
            onOpenChange={(open) => setDiscard({ asked: true, open })}
            title="Descartar o ticket?"
            description="O que você escreveu ainda não foi enviado e será apagado."
            cancel="Continuar escrevendo"
            confirm="Descartar"
            danger
            onConfirm={() => {
              deleteDraft(scope, draft.id);
              void navigate(paths.tickets());
            }}
          />
        </Suspense>
      )}
    </>
  );
}

async function tryToQueue(userId: string, draft: Draft<NewTicket>): Promise<boolean> {
  try {
    return (await loadQueue()).queueTicket(userId, draft);
  } catch {
    return false;
  }
}

/** Link to the closed ticket that this ticket continues. */
function FollowedTicket({ ticketId }: { ticketId: string }) {
  const { data: ticket } = useQuery({ ...ticketQuery(ticketId), refetchInterval: false });
  return (
    <Alert variant="info">
      Continuação de{' '}
      <Link to={paths.ticket(ticketId)} className="font-medium wrap-anywhere underline">
        {ticket?.subject ?? `#${ticketId.slice(-4)}`}
      </Link>
    </Alert>
  );
}

function Tips() {
  return (
    <aside aria-labelledby="dicas" className="bg-primary-subtle text-body rounded p-5">
      <h2 id="dicas" className="flex items-center gap-2.5 text-lg">
        <Lightbulb size={20} aria-hidden className="text-primary" />
        Dicas
      </h2>
      <ul className="mt-3 flex list-disc flex-col gap-2 pl-5">
        <li>Descreva o que aconteceu e quando.</li>
        <li>Cite o nome do documento, se o assunto for um.</li>
        <li>O tempo médio de resposta é de 24 horas úteis.</li>
      </ul>
    </aside>
  );
}
