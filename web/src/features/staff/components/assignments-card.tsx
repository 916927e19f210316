// Card with the staff who care for a client.
import { useQuery } from '@tanstack/react-query';
import { Ellipsis, Star, StarOff, Trash2 } from 'lucide-react';

import { QueryContent } from '~/components/query-content';
import { activityKeys } from '~/features/activity/api';
import { useRights } from '~/features/auth/rights';
import { clientKeys } from '~/features/clients/api/clients';
import { staffQuery } from '~/features/staff/api';
import {
  assign,
  type Assignment,
  assignmentKeys,
  assignmentsOfClientQuery,
  setResponsible,
  unassign,
} from '~/features/staff/assignments-api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Badge } from '~/ui/badge';
import { Panel } from '~/ui/card';
import { Field } from '~/ui/field';
import { MenuItem, MenuPopup, MenuRoot, MenuTrigger } from '~/ui/menu';
import { Select } from '~/ui/select';
import { SkeletonList } from '~/ui/skeleton';

const invalidates = [assignmentKeys.all, clientKeys.all, activityKeys.all];

export function AssignmentsCard({ clientId }: { clientId: string }) {
  const rights = useRights();
  const assignments = useQuery(assignmentsOfClientQuery(clientId));
  return (
    <Panel title="Equipe do escritório">
      <QueryContent
        query={assignments}
        loading={<SkeletonList rows={1} className="p-5" rowClassName="h-11" />}
        className="py-8"
      >
        {(assigned) => (
          <>
            {assigned.length === 0 ? (
              <p className="text-muted-foreground p-5 text-sm">
                Nenhuma pessoa foi atribuída a este cliente.
              </p>
            ) : (
              <ul className="divide-border divide-y" aria-label="Equipe do escritório">
                {assigned.map((assignment) => (
                  <AssignmentItem key={assignment.id} assignment={assignment} />
                ))}
              </ul>
            )}
            {rights.isAdministrator && <AssignField clientId={clientId} assigned={assigned} />}
          </>
        )}
      </QueryContent>
    </Panel>
  );
}

function AssignmentItem({ assignment }: { assignment: Assignment }) {
  const rights = useRights();
  const { name, department, isResponsible } = assignment;
  return (
    <li className="flex min-h-14 items-center gap-3 py-1.5 pr-3 pl-5">
      <p className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1 font-medium">
        <span className="min-w-0 wrap-anywhere">{name}</span>
        {department !== null && (
          <span className="text-muted-foreground text-sm font-normal">{department}</span>
        )}
        {isResponsible && <Badge tone="success">Responsável</Badge>}
      </p>
      {rights.isAdministrator && <AssignmentMenu assignment={assignment} />}
    </li>
  );
}

function AssignmentMenu({ assignment }: { assignment: Assignment }) {
  const { name, isResponsible } = assignment;
  const responsibility = useApiMutation({
    mutationFn: setResponsible,
    invalidates,
    successToast: { title: isResponsible ? 'Cliente sem responsável' : `Responsável: ${name}` },
    errorToast: { title: 'Erro ao mudar responsável', fallback: 'O servidor recusou a mudança.' },
  });
  const removal = useApiMutation({
    mutationFn: unassign,
    invalidates,
    successToast: { title: `${name} não atende mais este cliente` },
    errorToast: { title: 'Erro ao remover', fallback: 'O servidor recusou a mudança.' },
  });
  return (
    <MenuRoot>
      <MenuTrigger
        aria-label={`Ações de ${name}`}
        title="Ações"
        className="touch-target text-muted-foreground hover:bg-muted hover:text-foreground data-popup-open:bg-muted inline-flex items-center justify-center rounded"
      >
        <Ellipsis size={20} aria-hidden />
      </MenuTrigger>
      <MenuPopup>
        <MenuItem
          icon={isResponsible ? <StarOff size={18} aria-hidden /> : <Star size={18} aria-hidden />}
          onClick={() => responsibility.mutate({ id: assignment.id, isResponsible: !isResponsible })}
        >
          {isResponsible ? 'Deixar sem responsável' : 'Tornar responsável'}
        </MenuItem>
        <MenuItem danger icon={<Trash2 size={18} aria-hidden />} onClick={() => removal.mutate(assignment)}>
          Remover da equipe
        </MenuItem>
      </MenuPopup>
    </MenuRoot>
  );
}

type AssignFieldProps = { clientId: string; assigned: readonly Assignment[] };

/** Assigns the chosen person at once. The first one becomes the responsible person. */
function AssignField({ clientId, assigned }: AssignFieldProps) {
  const staff = useQuery(staffQuery());
  const assignment = useApiMutation({
    mutationFn: assign,
    invalidates,
    errorToast: { title: 'Erro ao atribuir', fallback: 'O servidor recusou a mudança.' },
  });
  const taken = new Set(assigned.map(({ staffId }) => staffId));
  const free = (staff.data ?? []).filter(({ id }) => !taken.has(id));
  return (
    <div className="border-border border-t p-5">
      <Field label="Atribuir a">
        {(control) => (
          <Select
            {...control}
            value=""
            placeholder={free.length === 0 ? 'Todos já estão na equipe' : 'Escolha uma pessoa'}
            disabled={assignment.isPending || free.length === 0}
            options={free.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={({ target }) =>
              assignment.mutate([
                { client_id: clientId, staff_id: target.value, is_responsible: assigned.length === 0 },
              ])
            }
          />
        )}
      </Field>
    </div>
  );
}
