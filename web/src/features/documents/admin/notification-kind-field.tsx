// Select of the document kind that determines the notification e-mails.
import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';

import { folderKindLabels } from '~/features/documents/document-labels';
import { allFoldersQuery } from '~/features/folders/admin-api';
import type { FolderKind } from '~/lib/api/database';
import { Field } from '~/ui/field';
import { toOptions } from '~/ui/select';
import { Select } from '~/ui/select';

type NotificationKindFieldProps = Omit<ComponentProps<typeof Select>, 'options' | 'placeholder'> & {
  folderId: string;
};

/** Kind field. The default is the kind of the folder. */
export function NotificationKindField({ folderId, ...control }: NotificationKindFieldProps) {
  const folders = useQuery(allFoldersQuery());
  const folder = folders.data?.find(({ id }) => id === folderId);
  const ofFolder = folder === undefined ? '' : `: ${folder.kind ? folderKindLabels[folder.kind] : 'nenhum'}`;
  return (
    <Field label="Tipo para notificação">
      {(aria) => (
        <Select
          {...control}
          {...aria}
          placeholder={`Conforme a pasta${ofFolder}`}
          options={toOptions(folderKindLabels)}
        />
      )}
    </Field>
  );
}

/** Parses a form value; blank selects the kind of the folder. */
export function parseFolderKind(text: string): FolderKind | null {
  return isKind(text) ? text : null;
}

const isKind = (text: string): text is FolderKind => Object.hasOwn(folderKindLabels, text);
