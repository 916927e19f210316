// Card with the properties of a ticket.
import { useQuery } from '@tanstack/react-query';
import { UserCheck } from 'lucide-react';
import { Link } from 'react-router';

import { useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import { staffQuery } from '~/features/staff/api';
import type { AdminTicket } from '~/features/tickets/api/admin-tickets';
import { CopyId, SidePanel } from '~/features/tickets/components/side-panel';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import {
  ticketCategoryLabels,
  ticketPriorityLabels,
  ticketStatusLabels,
} from '~/features/tickets/ticket-labels';
import type { TicketCategory, TicketPriority, TicketStatus } from '~/lib/api/database';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';
import { Field } from '~/ui/field';
import { toOptions } from '~/ui/select';
import { type Option, Select } from '~/ui/select';

import { DueDate } from './due-date';
import { categoryOptions, priorityOptions } from './ticket-filters';
import { useUpdateTicket } from './use-update-ticket';

const statusOptions = toOptions(ticketStatusLabels);

/** Assignee, status, priority and category. */
export function TicketPropertiesCard({ ticket }: { ticket: AdminTicket }) {
  const { mayWrite } = useRights();
  return (
    <SidePanel
      title="Atendimento"
      summary={<TicketStatusBadge status={ticket.status} />}
      className="print:hidden"
    >
      {mayWrite ? <Choices ticket={ticket} /> : <Properties ticket={ticket} />}
      <TicketFacts ticket={ticket} />
    </SidePanel>
  );
}

function Properties({ ticket: { status, assignee, priority, category } }: { ticket: AdminTicket }) {
  return (
    <DescriptionList>
      <DescriptionItem term="Status">{ticketStatusLabels[status]}</DescriptionItem>
      <DescriptionItem term="Responsável">
        {assignee === null ? 'Ninguém' : (assignee.name ?? 'Fora da equipe')}
      </DescriptionItem>
      <DescriptionItem term="Prioridade">{ticketPriorityLabels[priority]}</DescriptionItem>
      <DescriptionItem term="Categoria">{ticketCategoryLabels[category]}</DescriptionItem>
    </DescriptionList>
  );
}

/** Each change is saved immediately. */
function Choices({ ticket }: { ticket: AdminTicket }) {
  const { id: me } = useUser();
  const staff = useQuery(staffQuery());
  const saving = useUpdateTicket(ticket.id);
  const { assignee } = ticket;
  return (
    <div aria-busy={saving.isPending} className="flex flex-col gap-4 p-5">
      <Choice<TicketStatus>
        label="Status"
        value={ticket.status}
        options={statusOptions}
        onChange={(status) => saving.mutate({ status })}
      />
      <div className="flex flex-col gap-2">
        <Choice
          label="Responsável"
          value={assignee?.id ?? ''}
          placeholder="Ninguém"
          options={assigneeOptions(staff.data ?? [], assignee)}
          onChange={(id) => saving.mutate({ assignee_id: id === '' ? null : id })}
        />
        {assignee?.id !== me && (
          <Button
            variant="quiet"
            className="-ml-4 self-start"
            icon={<UserCheck size={18} aria-hidden />}
            onClick={() => saving.mutate({ assignee_id: me })}
          >
            Assumir
          </Button>
        )}
      </div>
      <Choice<TicketPriority>
        label="Prioridade"
        value={ticket.priority}
        options={priorityOptions}
        onChange={(priority) => saving.mutate({ priority })}
      />
      <Choice<TicketCategory>
        label="Categoria"
        value={ticket.category}
        options={categoryOptions}
        onChange={(category) => saving.mutate({ category })}
      />
    </div>
  );
}

function TicketFacts({ ticket }: { ticket: AdminTicket }) {
  const { isAdministrator } = useRights();
  const { client, due_at, created_at, updated_at, follow_up_of_id, document_id, id } = ticket;
  return (
    <dl className="border-border flex flex-col gap-4 border-t p-5">
      <DescriptionItem term="Responder até">
        <DueDate due={due_at} />
      </DescriptionItem>
      <DescriptionItem term="Cliente">
        {client ? (
          <Link
            to={isAdministrator ? paths.adminClientEdit(client.id) : paths.adminClient(client.id)}
            className="text-primary underline"
          >
            {client.name ?? client.email}
          </Link>
        ) : (
          'N/A'
        )}
      </DescriptionItem>
      <DescriptionItem term="Criado em">{formatDateTime(created_at)}</DescriptionItem>
      <DescriptionItem term="Atualizado em">{formatDateTime(updated_at)}</DescriptionItem>
      {document_id !== null && (
        <DescriptionItem term="Documento">
          <Link to={paths.adminDocument(document_id)} className="text-primary underline">
            {ticket.document}
          </Link>
        </DescriptionItem>
      )}
      {follow_up_of_id !== null && (
        <DescriptionItem term="Continuação de">
          <Link to={paths.adminTicket(follow_up_of_id)} className="text-primary underline">
            #{follow_up_of_id.slice(-4)}
          </Link>
        </DescriptionItem>
      )}
      <DescriptionItem term="ID">
        <CopyId id={id} />
      </DescriptionItem>
    </dl>
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  value: Value;
  options: readonly Option[];
  placeholder?: string;
  onChange: (value: Value) => void;
};

function Choice<Value extends string>({ label, onChange, ...select }: ChoiceProps<Value>) {
  return (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          {...select}
          onChange={({ target }) =>
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the options are the values of the type.
            onChange(target.value as Value)
          }
        />
      )}
    </Field>
  );
}

/** Assignee options. A former staff member stays as an option of their ticket. */
function assigneeOptions(
  staff: readonly { id: string; name: string }[],
  assignee: AdminTicket['assignee'],
): Option[] {
  const options = staff.map(({ id, name }) => ({ value: id, label: name }));
  if (assignee === null || options.some(({ value }) => value === assignee.id)) return options;
  return [...options, { value: assignee.id, label: assignee.name ?? 'Fora da equipe' }];
}
