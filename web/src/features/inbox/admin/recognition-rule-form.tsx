// Form of a rule by which the office describes a kind of documents.
import { useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';

import { allFoldersQuery } from '~/features/folders/admin-api';
import { inboxKeys } from '~/features/inbox/api';
import { type RecognitionRule, saveRecognitionRule } from '~/features/inbox/recognition-api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Button } from '~/ui/button';
import { Checkbox } from '~/ui/checkbox';
import { Field } from '~/ui/field';
import { Input, Textarea } from '~/ui/input';
import { Select } from '~/ui/select';

import { findPhraseError, splitPhrases } from './recognition-phrases';

const MAX_NAME_CHARS = 50;

type RecognitionRuleFormProps = {
  /** The rule to change; null for a new one. */
  rule: RecognitionRule | null;
  rules: readonly RecognitionRule[];
  onClose: () => void;
};

export function RecognitionRuleForm({ rule, rules, onClose }: RecognitionRuleFormProps) {
  const { data: folders } = useQuery(allFoldersQuery());
  const [name, setName] = useState(rule?.name ?? '');
  const [phrases, setPhrases] = useState(rule?.phrases.join('\n') ?? '');
  const [excluded, setExcluded] = useState(rule?.excluded.join('\n') ?? '');
  const [folderId, setFolderId] = useState(rule?.folderId ?? '');
  const [isPayable, setIsPayable] = useState(rule?.isPayable ?? false);
  const [errors, setErrors] = useState<{ name?: string; phrases?: string; excluded?: string }>({});
  const save = useApiMutation({
    mutationFn: saveRecognitionRule,
    invalidates: [inboxKeys.all],
    successToast: { title: 'Regra salva', description: 'Vale para os próximos arquivos.' },
    errorToast: { title: 'Erro ao salvar a regra' },
    onSuccess: onClose,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    const values = {
      name: name.trim(),
      phrases: splitPhrases(phrases),
      excluded: splitPhrases(excluded),
      folderId: folderId === '' ? null : folderId,
      isPayable,
    };
    const isTaken = rules.some((other) => other.id !== rule?.id && other.name === values.name);
    const nameError = !/[\p{L}\p{N}]/u.test(values.name)
      ? 'Dê um nome ao tipo de documento.'
      : isTaken
        ? 'Já existe uma regra com este nome.'
        : undefined;
    const phrasesError =
      values.phrases.length === 0
        ? 'Escreva ao menos uma expressão do documento.'
        : findPhraseError(values.phrases);
    const excludedError = findPhraseError(values.excluded);
    setErrors({
      ...(nameError !== undefined && { name: nameError }),
      ...(phrasesError !== undefined && { phrases: phrasesError }),
      ...(excludedError !== undefined && { excluded: excludedError }),
    });
    if (nameError === undefined && phrasesError === undefined && excludedError === undefined) {
      save.mutate({ id: rule?.id ?? null, values });
    }
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4 p-5">
      <Field
        label="Nome do tipo"
        hint="Vira o nome e a categoria do documento. Por exemplo: Boleto do condomínio"
        error={errors.name}
      >
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={MAX_NAME_CHARS}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field
        label="Expressões que aparecem"
        hint="Uma por linha, até cinco. O documento precisa ter todas; maiúsculas e acentos não importam."
        error={errors.phrases}
      >
        {(control) => (
          <Textarea
            {...control}
            rows={3}
            value={phrases}
            onChange={({ target }) => setPhrases(target.value)}
          />
        )}
      </Field>
      <Field
        label="Expressões que não aparecem (opcional)"
        hint="Uma por linha, até cinco. Com uma delas, a regra não vale."
        error={errors.excluded}
      >
        {(control) => (
          <Textarea
            {...control}
            rows={2}
            value={excluded}
            onChange={({ target }) => setExcluded(target.value)}
          />
        )}
      </Field>
      <Field label="Pasta do tipo">
        {(control) => (
          <Select
            {...control}
            placeholder="Nenhuma: o portal aprende com as publicações"
            options={(folders ?? [])
              .filter((folder) => !folder.archived || folder.id === folderId)
              .map((folder) => ({ value: folder.id, label: folder.name }))}
            value={folderId}
            onChange={({ target }) => setFolderId(target.value)}
          />
        )}
      </Field>
      <Checkbox
        label="É para pagar"
        hint="O portal procura no documento o valor e o vencimento."
        checked={isPayable}
        onChange={({ target }) => setIsPayable(target.checked)}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="secondary" onClick={onClose}>
          Cancelar
        </Button>
        <Button type="submit" pending={save.isPending}>
          Salvar regra
        </Button>
      </div>
    </form>
  );
}
