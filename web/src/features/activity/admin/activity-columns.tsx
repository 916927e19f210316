// Columns of the activity table.
import { actorLabel, detailLabel, eventLabel, subjectLabel } from '~/features/activity/activity-labels';
import type { ActivityEntry } from '~/features/activity/api';
import { formatDateTime } from '~/lib/dates';
import type { Column } from '~/ui/data-table';

export function activityColumns(onPerson: (id: string) => void): Column<ActivityEntry>[] {
  return [
    {
      header: 'O que aconteceu',
      primary: true,
      cell: (line) => {
        const detail = detailLabel(line);
        return (
          <>
            {eventLabel(line)}
            {detail && <span className="text-muted-foreground block text-sm font-normal">{detail}</span>}
          </>
        );
      },
    },
    {
      header: 'Quem',
      freeText: true,
      cell: (line) => <Person id={line.actor_id} name={actorLabel(line)} onPerson={onPerson} />,
    },
    {
      header: 'Sobre',
      freeText: true,
      cell: (line) => {
        const { person_id: person, person_name: name, actor_id: actor } = line;
        const subject = subjectLabel(line);
        return (
          <span className="min-w-0">
            {subject}
            {name !== null && person !== actor && (
              <span className={subject === null ? undefined : 'block text-sm'}>
                <Person id={person} name={name} onPerson={onPerson} />
              </span>
            )}
          </span>
        );
      },
    },
    {
      header: 'Quando',
      className: 'tabular-nums whitespace-nowrap',
      cell: ({ created_at: at }) => <time dateTime={at}>{formatDateTime(at)}</time>,
    },
  ];
}

type PersonProps = { id: string | null; name: string; onPerson: (id: string) => void };

/** Name that filters the table by that person. Events of deleted accounts keep their names. */
function Person({ id, name, onPerson }: PersonProps) {
  if (id === null) return <span className="text-muted-foreground">{name}</span>;
  return (
    <button
      type="button"
      title={`Ver só a atividade de ${name}`}
      className="text-left hover:underline"
      onClick={() => onPerson(id)}
    >
      {name}
    </button>
  );
}
