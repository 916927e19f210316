// Profile card of the name.
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';

import { profileKeys, profileQuery, updateName } from '~/features/profile/api/profile';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
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
      {profile.isPending && <SkeletonList rows={1} className="p-5" rowClassName="h-20" />}
      {profile.isError && <ErrorState onRetry={() => void profile.refetch()} className="py-8" />}
      {profile.data && <NameForm fullName={profile.data.fullName} />}
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
      <Field
        label="Nome completo"
        required
        error={form.formState.errors.fullName?.message}
        hint="É como o escritório vê você."
        className="w-full"
      >
        {(control) => <Input {...control} {...form.registerField('fullName')} autoComplete="name" />}
      </Field>
      <Button type="submit" variant="secondary" pending={save.isPending}>
        Salvar nome
      </Button>
    </form>
  );
}
