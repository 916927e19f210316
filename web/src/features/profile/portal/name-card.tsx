// Profile card of the name.
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';

import { TextField } from '~/components/form-fields';
import { QueryContent } from '~/components/query-content';
import { profileKeys, profileQuery, updateName } from '~/features/profile/api/profile';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

const schema = z.object({
  fullName: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Nome completo é obrigatório.'),
      z.maxLength(200, 'O nome deve ter no máximo 200 caracteres.'),
    ),
});

export function NameCard() {
  const profile = useQuery(profileQuery());
  return (
    <Panel title="Dados pessoais">
      <QueryContent
        query={profile}
        loading={<SkeletonList rows={1} className="p-5" rowClassName="h-39" />}
        className="py-8"
      >
        {(data) => <NameForm fullName={data.fullName} />}
      </QueryContent>
    </Panel>
  );
}

function NameForm({ fullName }: { fullName: string }) {
  const form = useZodForm(schema, { fullName });
  const save = useApiMutation({
    mutationFn: updateName,
    invalidates: [profileKeys.all],
    successToast: { title: 'Nome atualizado' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível salvar o nome. Tente novamente.' },
  });
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit((values) => save.mutate(values.fullName))}
      className="flex flex-col items-start gap-4 p-5"
    >
      <TextField
        {...form.bind('fullName')}
        label="Nome completo"
        hint="É como o escritório vê você."
        required
        autoComplete="name"
        className="w-full"
      />
      <Button type="submit" variant="secondary" pending={save.isPending}>
        Salvar nome
      </Button>
    </form>
  );
}
