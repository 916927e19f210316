// Columns of the activity table.
import { actorLabel, detailLabel, eventLabel, subjectLabel } from '~/features/activity/activity-labels';
import type { ActivityEntry } from '~/features/activity/api';
import { formatDateTime } from '~/lib/dates';
import { cn } from '~/ui/cn';
import type { Column } from '~/ui/data-table';
import { EmailText } from '~/ui/email-text';

export function activityColumns(onPerson: (id: string) => void): Column<ActivityEntry>[] {
  return [
    {
      header: 'O que aconteceu',
      primary: true,
      className: '@4xl:w-[31%]',
      text: (line) => [eventLabel(line), detailLabel(line)].filter(Boolean).join(' · '),
      cell: (line) => {
        const detail = detailLabel(line);
        return (
          <>
            <span className="@4xl:font-medium">{eventLabel(line)}</span>
            {detail && <span className="text-muted-foreground text-sm font-normal"> · {detail}</span>}
          </>
        );
      },
    },
    {
      header: 'Quem',
      freeText: true,
      className: '@4xl:w-[24%]',
      text: actorLabel,
      cell: (line) => <Person id={line.actor_id} name={actorLabel(line)} onPerson={onPerson} />,
    },
    {
      header: 'Sobre',
      freeText: true,
      className: '@4xl:w-[28%]',
      text: aboutText,
      // Subject and person have a line each.
      whole: true,
      cell: (line) => {
        const subject = subjectLabel(line);
        const name = affectedPerson(line);
        return (
          <span className="min-w-0">
            {subject !== null && (
              <span className="block @4xl:truncate @4xl:[&>wbr]:hidden">
                <EmailText email={subject} />
              </span>
            )}
            {name !== null && (
              <span className="block">
                <Person id={line.person_id} name={name} onPerson={onPerson} isLine />
              </span>
            )}
          </span>
        );
      },
    },
    {
      header: 'Quando',
      className: 'tabular-nums whitespace-nowrap @4xl:w-[17%]',
      cell: ({ created_at: at }) => <time dateTime={at}>{formatDateTime(at)}</time>,
    },
  ];
}

/** The name of the person whom an event is about, unless it is its actor. */
function affectedPerson({
  person_id: person,
  person_name: name,
  actor_id: actor,
}: ActivityEntry): string | null {
  return person === actor ? null : name;
}

function aboutText(line: ActivityEntry): string {
  return [subjectLabel(line), affectedPerson(line)].filter(Boolean).join(' · ');
}

type PersonProps = {
  id: string | null;
  name: string;
  onPerson: (id: string) => void;
  /** Whether the name has one line of a dense row. */
  isLine?: boolean;
};

/**
 * Name, or the address of an account without one, that filters the table by that person. Events of deleted accounts keep
 * their names.
 */
function Person({ id, name, onPerson, isLine = false }: PersonProps) {
  const text = <EmailText email={name} />;
  if (id === null) return <span className="text-muted-foreground">{text}</span>;
  return (
    <button
      type="button"
      title={`Ver só a atividade de ${name}`}
      className={cn(
        'text-left hover:underline',
        isLine && '@4xl:max-w-full @4xl:truncate @4xl:align-bottom @4xl:[&>wbr]:hidden',
      )}
      onClick={() => onPerson(id)}
    >
      {text}
    </button>
  );
}
