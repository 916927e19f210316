// Select that inserts a saved reply into the reply form.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { savedRepliesQuery } from '~/features/tickets/api/saved-replies';
import { paths } from '~/paths';
import { Field } from '~/ui/field';
import { Select } from '~/ui/select';

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
          // The value is always empty, so that the same reply can be selected again.
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
