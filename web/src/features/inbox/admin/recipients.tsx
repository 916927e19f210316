// The clients who receive a publication, and whether each of them is mailed.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { CircleHelp, Mail, MailX, Replace } from 'lucide-react';

import {
  documentNotificationPreviewQuery,
  missingMailReasons,
} from '~/features/documents/api/notification-preview';
import { emailSettingKeys } from '~/features/email/api/settings';
import { settingLabel } from '~/features/email/email-events';
import type { InboxFile } from '~/features/inbox/api';
import { replacesDocument } from '~/features/inbox/review-labels';
import type { RecipientPreview } from '~/lib/api/database';
import { queryClient } from '~/lib/api/query-client';
import { getExtension } from '~/lib/files/file-name';
import { formatInteger, pluralize } from '~/lib/format';
import { cn } from '~/ui/cn';

/** A client with the documents of one publication. */
type Recipient = {
  id: string;
  name: string;
  email: string;
  documents: number;
  /** Number of documents among them whose file replaces another. */
  replaced: number;
  /** Each folder with a type of its documents: both decide about the mail. */
  kinds: Map<string, Draft>;
};

type Draft = { client_id: string; folder_id_supabase: string; type: string };

/** The mails about the documents of a client: to how many of its folders and types they apply, and to how many people. */
type MailAnswer = { notified: number; total: number; people: number; reason: string | null };

export function Recipients({ files }: { files: readonly InboxFile[] }) {
  const recipients = recipientsOf(files);
  const { data: answers } = useQuery(mailAnswersQuery(recipients));
  const unnotified = recipients.filter(({ id }) => answers?.get(id)?.notified === 0).length;
  return (
    <>
      <h3 className="text-sm font-medium">Quem receberá</h3>
      <p role="status" className="text-warning min-h-5 text-sm">
        {unnotified > 0 &&
          `${pluralize(unnotified, 'cliente não será avisado', 'clientes não serão avisados')} por e-mail.`}
      </p>
      {/* Keys scroll a long list. */}
      <div
        role="region"
        aria-label="Quem receberá"
        tabIndex={0}
        className="border-border mt-2 max-h-72 overflow-y-auto rounded border"
      >
        <ul className="divide-border divide-y">
          {recipients.map(({ id, name, email, documents, replaced }) => (
            <li key={id} className="px-3 py-2">
              <span className="line-clamp-2 wrap-anywhere">{name}</span>
              <span className="text-muted-foreground flex justify-between gap-3 text-sm">
                <span className="min-w-0 truncate">{email}</span>
                <span className="shrink-0 tabular-nums">
                  {pluralize(documents, 'documento', 'documentos')}
                </span>
              </span>
              <MailLine answer={answers ? answers.get(id) : null} />
              {replaced > 0 && (
                <span className="text-muted-foreground flex items-start gap-1.5 text-sm">
                  <Replace size={16} aria-hidden className="mt-0.5 shrink-0" />
                  {replaced === 1
                    ? 'Substitui um documento'
                    : `Substitui ${formatInteger(replaced)} documentos`}
                </span>
              )}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** `answer` is null while the server is asked, and undefined without its answer. */
function MailLine({ answer }: { answer: MailAnswer | null | undefined }) {
  const isWarning = answer ? answer.notified < answer.total : false;
  const Icon = !answer ? CircleHelp : isWarning ? MailX : Mail;
  return (
    <span
      className={cn(
        'flex items-start gap-1.5 text-sm wrap-anywhere',
        isWarning ? 'text-warning' : 'text-muted-foreground',
      )}
    >
      <Icon size={16} aria-hidden className={cn('mt-0.5 shrink-0', answer && !isWarning && 'text-success')} />
      {describe(answer)}
    </span>
  );
}

function describe(answer: MailAnswer | null | undefined): string {
  if (answer === null) return 'Conferindo se recebe e-mail…';
  if (answer === undefined) return 'Não foi possível saber se recebe e-mail';
  const { notified, total, people, reason } = answer;
  if (notified === 0) return reason === null ? 'Sem e-mail' : `Sem e-mail: ${reason}`;
  const mail =
    people === 1 ? 'Recebe e-mail' : `${pluralize(people, 'pessoa recebe', 'pessoas recebem')} e-mail`;
  return notified === total || reason === null ? mail : `${mail}, mas não de tudo: ${reason}`;
}

/** The mails to each client, by id; without an entry for a client about whom the server did not answer. */
function mailAnswersQuery(recipients: readonly Recipient[]) {
  const drafts = recipients.flatMap(({ kinds }) => [...kinds.values()]);
  return queryOptions({
    queryKey: [...emailSettingKeys.all, 'recipients', drafts],
    async queryFn(): Promise<Map<string, MailAnswer>> {
      const answers = new Map<string, MailAnswer>();
      for (const { client, added } of await Promise.all(drafts.map(askAboutMail))) {
        if (added === undefined) continue;
        const known = answers.get(client) ?? { notified: 0, total: 0, people: 0, reason: null };
        answers.set(client, {
          notified: known.notified + (added.count > 0 ? 1 : 0),
          total: known.total + 1,
          people: Math.max(known.people, added.count),
          reason: known.reason ?? reasonOf(added),
        });
      }
      return answers;
    },
  });
}

/** The mail about a new document of this kind; undefined if the server does not answer. */
async function askAboutMail(draft: Draft) {
  const [added] = await queryClient.fetchQuery(documentNotificationPreviewQuery(draft)).catch(() => []);
  return { client: draft.client_id, added };
}

function reasonOf({ count, reason, setting }: RecipientPreview): string | null {
  if (count > 0 || reason === undefined) return null;
  if (reason !== 'off') return missingMailReasons[reason];
  return setting === null ? null : `“${settingLabel(setting)}” está desligado em Config. Email`;
}

/** The clients of the files, by name. */
function recipientsOf(files: readonly InboxFile[]): Recipient[] {
  const recipients = new Map<string, Recipient>();
  for (const file of files) {
    const { client, folder_id_supabase, name: fileName } = file;
    if (client === null) continue;
    const { id, fullName, email } = client;
    const recipient = recipients.get(id) ?? {
      id,
      name: fullName ?? email,
      email,
      documents: 0,
      replaced: 0,
      kinds: new Map(),
    };
    recipient.documents += 1;
    const type = getExtension(fileName);
    if (replacesDocument(file)) recipient.replaced += 1;
    if (folder_id_supabase !== null)
      recipient.kinds.set(`${folder_id_supabase}/${type}`, { client_id: id, folder_id_supabase, type });
    recipients.set(id, recipient);
  }
  return [...recipients.values()].toSorted((one, next) => one.name.localeCompare(next.name, 'pt-BR'));
}
