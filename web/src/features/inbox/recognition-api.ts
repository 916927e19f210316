// Requests of the rules by which the office describes kinds of documents.
import { queryOptions } from '@tanstack/react-query';

import { inboxKeys } from '~/features/inbox/api';
import { fetchAllPages } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';

/** The values of a rule that a person enters. */
export type RecognitionValues = {
  /** The name of the kind, which becomes the name of its documents, and their category without accents. */
  name: string;
  /** All occur in a document of the kind. */
  phrases: string[];
  /** None occurs. */
  excluded: string[];
  folderId: string | null;
  isPayable: boolean;
};

export type RecognitionRule = RecognitionValues & { id: string };

/** All rules, in the order of their names. */
export function recognitionRulesQuery() {
  return queryOptions({
    queryKey: [...inboxKeys.all, 'recognition'],
    async queryFn({ signal }): Promise<RecognitionRule[]> {
      const rows = await fetchAllPages((from, to) =>
        db()
          .from('recognition_rules')
          .select('id,name,phrases,excluded_phrases,folder_id_supabase,is_payable')
          .order('name')
          .order('id')
          .range(from, to)
          .abortSignal(signal)
          .throwOnError(),
      );
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        phrases: toPhrases(row.phrases),
        excluded: toPhrases(row.excluded_phrases),
        folderId: row.folder_id_supabase,
        isPayable: row.is_payable,
      }));
    },
    meta: { errorToast: { title: 'Erro ao buscar as regras do escritório' } },
  });
}

function toPhrases(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((phrase) => typeof phrase === 'string') : [];
}

/** Creates a rule, or changes the one with the id. */
export async function saveRecognitionRule({
  id,
  values,
}: {
  id: string | null;
  values: RecognitionValues;
}): Promise<void> {
  const row = {
    name: values.name,
    phrases: values.phrases,
    excluded_phrases: values.excluded,
    folder_id_supabase: values.folderId,
    is_payable: values.isPayable,
  };
  const table = db().from('recognition_rules');
  await (id === null ? table.insert(row) : table.update(row).eq('id', id)).throwOnError();
}

export async function deleteRecognitionRule(id: string): Promise<void> {
  await db().from('recognition_rules').delete().eq('id', id).throwOnError();
}
