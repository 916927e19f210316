// Columns of the ticket queue.
import type { ListColumn } from '~/components/list-table/list-column';
import { TextLink } from '~/components/text-link';
import type { QueuedTicket, QueueSortKey } from '~/features/tickets/api/ticket-queue';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import {
  ticketCategoryLabels,
  ticketPriorityLabels,
  ticketStatusLabels,
} from '~/features/tickets/ticket-labels';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { formatDate, formatDateTime, formatSpreadsheetTime } from '~/lib/dates';
import { formatDuration } from '~/lib/duration';
import { paths } from '~/paths';
import { cn } from '~/ui/cn';

const MINUTE_MS = 60_000;

export const ticketsColumns: ListColumn<QueuedTicket, QueueSortKey>[] = [
  {
    header: 'Ticket',
    width: [12.75, 1.25],
    sort: 'subject',
    card: 'title',
    wraps: true,
    text: ({ subject }) => subject,
    cell: ({ id, subject, due_at }) => (
      <TextLink to={paths.adminTicket(id)} className={due_at === null ? 'font-normal' : 'font-semibold'}>
        {subject}
      </TextLink>
    ),
  },
  {
    header: 'Cliente',
    width: [8.5, 1],
    sort: 'clients(search_name)',
    card: 'second',
    wraps: true,
    text: clientName,
    cell: clientName,
  },
  {
    header: 'Espera',
    width: [5, 0],
    card: 'second-end',
    text: ({ waitingSince }) => (waitingSince === null ? '' : `desde ${formatDateTime(waitingSince)}`),
    file: {
      header: 'Espera desde',
      text: ({ waitingSince }) => (waitingSince === null ? '' : formatSpreadsheetTime(waitingSince)),
    },
    cell: ({ waitingSince }) => <Waiting since={waitingSince} />,
  },
  {
    header: 'Prazo',
    width: [11.5, 0],
    sort: 'due_at',
    card: 'third',
    text: ({ due_at }) => (due_at === null ? 'Sem pendência' : formatDateTime(due_at)),
    file: { text: ({ due_at }) => (due_at === null ? 'Sem pendência' : formatSpreadsheetTime(due_at)) },
    cell: ({ due_at }) => <DueTime due={due_at} />,
  },
  {
    header: 'Status',
    width: [8.75, 0],
    card: 'third-end',
    text: ({ status }) => ticketStatusLabels[status],
    cell: ({ status }) => <TicketStatusBadge status={status} />,
  },
  {
    header: 'Responsável',
    width: [7.5, 0],
    wraps: true,
    text: assigneeName,
    cell: (ticket) =>
      ticket.assignee === null ? (
        <span className="text-muted-foreground">Ninguém</span>
      ) : (
        assigneeName(ticket)
      ),
  },
  {
    header: 'Prioridade',
    width: [6, 0],
    text: ({ priority }) => ticketPriorityLabels[priority],
    cell: ({ priority }) => (
      <span className={cn(priority === 'urgent' && 'text-danger font-medium')}>
        {ticketPriorityLabels[priority]}
      </span>
    ),
  },
  {
    header: 'Categoria',
    width: [8.5, 0],
    isOptional: true,
    text: ({ category }) => ticketCategoryLabels[category],
    cell: ({ category }) => ticketCategoryLabels[category],
  },
  {
    header: 'Aberto em',
    width: [7, 0],
    sort: 'created_at',
    sortsDown: true,
    isOptional: true,
    text: ({ created_at }) => formatDate(created_at),
    cell: ({ created_at }) => <Day moment={created_at} />,
  },
  {
    header: 'Atualizado em',
    width: [8.25, 0],
    sort: 'updated_at',
    sortsDown: true,
    isOptional: true,
    text: ({ updated_at }) => formatDate(updated_at),
    cell: ({ updated_at }) => <Day moment={updated_at} />,
  },
  {
    header: 'Número',
    width: [5.5, 0],
    isOptional: true,
    text: ({ id }) => id,
    cell: ({ id }) => `#${id.slice(-4)}`,
  },
];

function clientName({ client }: QueuedTicket): string {
  return client?.name ?? client?.email ?? 'N/A';
}

function assigneeName({ assignee }: QueuedTicket): string {
  return assignee === null ? 'Ninguém' : (assignee.name ?? 'Fora da equipe');
}

/** Time since the first message without a reply. */
function Waiting({ since }: { since: string | null }) {
  const now = useCurrentMinute() * MINUTE_MS;
  if (since === null) return <span className="text-muted-foreground">–</span>;
  return <span className="tabular-nums">{formatDuration(Math.max(0, now - Date.parse(since)))}</span>;
}

/** Response deadline, in red once it has passed. */
function DueTime({ due }: { due: string | null }) {
  const now = useCurrentMinute() * MINUTE_MS;
  if (due === null) return <span className="text-muted-foreground">Sem pendência</span>;
  const isLate = Date.parse(due) < now;
  return (
    <span className="tabular-nums">
      {isLate && <span className="text-danger font-medium">Atrasado · </span>}
      <time dateTime={due}>{isLate ? formatDate(due) : formatDateTime(due)}</time>
    </span>
  );
}

function Day({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} className="tabular-nums">
      {formatDate(moment)}
    </time>
  );
}
