// Dialog with the rules for automatic reminders.
import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { QueryContent } from '~/components/query-content';
import {
  addReminderRule,
  deleteReminderRule,
  type ReminderRule,
  reminderRuleKeys,
  reminderRulesQuery,
} from '~/features/documents/api/reminder-rules';
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import { useApiMutation } from '~/hooks/use-api-mutation';
import type { RuleRecipient } from '~/lib/api/database';
import { refetchChanged } from '~/lib/api/query-client';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { IconButton } from '~/ui/icon-button';
import { Input } from '~/ui/input';
import { Select, toOptions } from '~/ui/select';
import { SkeletonList } from '~/ui/skeleton';

import { describeReminderRule, recipients, REQUESTS } from './reminder-rule-text';

const MAX_DAYS_AFTER = 30;
const MAX_DAYS_BEFORE = 60;

export function ReminderRulesDialog({ onClose }: { onClose: () => void }) {
  const rules = useQuery(reminderRulesQuery());
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title="Lembretes automáticos"
      description="Às 8h dos dias úteis, para cada documento que o cliente ainda não abriu e cada item solicitado que ainda não enviou. Feriados nacionais, feriados do escritório e fins de semana não contam; o vencimento em dia sem expediente conta pelo dia em que se pode pagar, como em Configurações."
      className="sm:max-w-lg"
    >
      <QueryContent query={rules} loading={<SkeletonList rows={2} rowClassName="h-11" />}>
        {(loaded) => (
          <div className="flex flex-col gap-5">
            <RuleList rules={loaded} />
            <RuleForm rules={loaded} />
          </div>
        )}
      </QueryContent>
    </Dialog>
  );
}

/** A change may have taken effect although its answer was lost. */
function refetchRules(): void {
  void refetchChanged(reminderRuleKeys.all);
}

function RuleList({ rules }: { rules: ReminderRule[] }) {
  const removal = useApiMutation({
    mutationFn: deleteReminderRule,
    invalidates: [reminderRuleKeys.all],
    errorToast: { title: 'Erro ao excluir o lembrete' },
    onError: refetchRules,
  });
  if (rules.length === 0) {
    return <p className="text-muted-foreground">Nenhum lembrete automático. Só saem os que você pedir.</p>;
  }
  return (
    <ul aria-label="Lembretes automáticos" className="border-border divide-border divide-y rounded border">
      {rules.map((rule) => (
        <li key={rule.id} className="flex items-center gap-3 py-1 pr-1 pl-4 tabular-nums">
          <span className="min-w-0 flex-1 wrap-anywhere">{describeReminderRule(rule)}</span>
          <IconButton
            label={`Excluir ${describeReminderRule(rule)}`}
            icon={<Trash2 size={18} aria-hidden />}
            disabled={removal.isPending}
            onClick={() => removal.mutate(rule.id)}
          />
        </li>
      ))}
    </ul>
  );
}

const sides = { before: 'dias úteis antes', on: 'no dia', after: 'dias úteis depois' } as const;
type Side = keyof typeof sides;
const toRecipient = (value: string): RuleRecipient =>
  value === 'staff' || value === 'client_notification' ? value : 'client';
const toSide = (value: string): Side => (value === 'on' || value === 'after' ? value : 'before');

function RuleForm({ rules }: { rules: ReminderRule[] }) {
  const [count, setCount] = useState('2');
  const [side, setSide] = useState<Side>('before');
  const [category, setCategory] = useState('');
  const [recipient, setRecipient] = useState<RuleRecipient>('client');
  const [error, setError] = useState<string>();
  const addition = useApiMutation({
    mutationFn: addReminderRule,
    invalidates: [reminderRuleKeys.all],
    errorToast: { title: 'Erro ao criar o lembrete' },
    onError: refetchRules,
  });
  const submit = () => {
    const max = side === 'after' ? MAX_DAYS_AFTER : MAX_DAYS_BEFORE;
    const amount = side === 'on' ? 0 : Number(count);
    if (side !== 'on' && !(Number.isInteger(amount) && amount >= 1 && amount <= max)) {
      return setError(`De 1 a ${max} dias.`);
    }
    const days = side === 'after' ? -amount : amount;
    const isSame = (rule: ReminderRule) =>
      rule.days === days && rule.category === category && rule.recipient === recipient;
    if (rules.some(isSame)) {
      return setError('Este lembrete já existe.');
    }
    setError(undefined);
    addition.mutate({ days, category, recipient });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!addition.isPending) submit();
      }}
      className="flex flex-col gap-4"
    >
      <div className="grid grid-cols-[6rem_1fr] gap-3">
        <Field label="Dias" {...(error !== undefined && { error })}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              value={side === 'on' ? '0' : count}
              disabled={side === 'on'}
              onChange={({ target }) => setCount(target.value)}
            />
          )}
        </Field>
        <Field label="Quando">
          {(control) => (
            <Select
              {...control}
              options={toOptions(sides)}
              value={side}
              onChange={({ target }) => setSide(toSide(target.value))}
            />
          )}
        </Field>
      </div>
      <Field label="O quê">
        {(control) => (
          <Select
            {...control}
            placeholder="Documentos e solicitações"
            options={[{ value: REQUESTS, label: 'Só solicitações' }, ...toOptions(CATEGORY_NAMES)]}
            value={category}
            onChange={({ target }) => setCategory(target.value)}
          />
        )}
      </Field>
      <Field label="Avisar">
        {(control) => (
          <Select
            {...control}
            options={toOptions(recipients)}
            value={recipient}
            onChange={({ target }) => setRecipient(toRecipient(target.value))}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant="secondary"
        icon={<Plus size={20} aria-hidden />}
        pending={addition.isPending}
      >
        Adicionar lembrete
      </Button>
    </form>
  );
}
