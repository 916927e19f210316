import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { savedRepliesQuery } from '~/features/tickets/api/saved-replies';
import { paths } from '~/paths';
import { Field } from '~/ui/field';
import { Select } from '~/ui/select';

/** Puts an answer that is given often into the box, to be looked over before it is sent. */
export function SavedReplySelect({ onPick }: { onPick: (body: string) => void }) {
  const replies = useQuery(savedRepliesQuery());
  if (!replies.data) return null;
  if (replies.data.length === 0) {
    return (
      <p className="text-muted-foreground text-sm">
        Respostas que se repetem podem ficar prontas:{' '}
        <Link to={paths.adminSavedReplies()} className="text-primary underline">
          criar uma resposta pronta
        </Link>
        .
      </p>
    );
  }
  return (
    <Field label="Resposta pronta" className="max-w-md">
      {(control) => (
        <Select
          {...control}
          // Always on its first line: choosing is doing, and the same may be chosen again.
          value=""
          placeholder="Inserir no texto..."
          options={replies.data.map(({ id, title }) => ({ value: id, label: title }))}
          onChange={({ target }) => {
            const picked = replies.data.find(({ id }) => id === target.value);
            if (picked) onPick(picked.body);
          }}
        />
      )}
    </Field>
  );
}
