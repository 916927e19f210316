// Dialog that limits a person to folders of a client.
import { useState } from 'react';

import { FormDialog } from '~/components/form-dialog';
import { changeMemberFolders, type Member, memberKeys } from '~/features/members/api';
import { useApiMutation } from '~/hooks/use-api-mutation';

import { FolderLimitFields, NO_FOLDER } from './folder-limit-fields';

export function LimitMemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const [folders, setFolders] = useState(member.folders);
  const [error, setError] = useState<string>();
  const saving = useApiMutation({
    mutationFn: changeMemberFolders,
    invalidates: [memberKeys.all],
    successToast: { title: 'Pastas salvas', description: member.name },
    errorToast: { title: 'Erro ao salvar pastas', fallback: 'O servidor recusou a mudança.' },
    onSuccessIfMounted: onClose,
  });
  return (
    <FormDialog
      open
      title={`Pastas de ${member.name}`}
      dirty={!isSame(folders, member.folders) && !saving.isPending}
      pending={saving.isPending}
      onSubmit={() =>
        folders?.length === 0 ? setError(NO_FOLDER) : saving.mutate({ id: member.id, folders })
      }
      onClose={onClose}
    >
      <FolderLimitFields
        value={folders}
        error={error}
        onChange={(next) => {
          setFolders(next);
          setError(undefined);
        }}
      />
    </FormDialog>
  );
}

function isSame(one: string[] | null, other: string[] | null): boolean {
  return JSON.stringify(one?.toSorted() ?? null) === JSON.stringify(other?.toSorted() ?? null);
}
