import { useIsMutating } from '@tanstack/react-query';
import { Lightbulb } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';

import { useUser } from '~/data/session';
import { createTicket, type NewTicket, ticketKeys } from '~/data/tickets';
import { optionsOf, ticketCategoryLabels, ticketPriorityLabels } from '~/lib/labels';
import { toast } from '~/lib/toast';
import { useAction } from '~/lib/use-action';
import { useZodForm } from '~/lib/use-zod-form';
import { paths } from '~/paths';
import { Button, ButtonLink } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { Input, Textarea } from '~/ui/input';
import { PageHeader } from '~/ui/page-header';
import { Select } from '~/ui/select';

import { blankTicket, clearDraft, readDraft, saveDraft, ticketSchema } from './ticket-draft';

const categories = optionsOf(ticketCategoryLabels);
const priorities = optionsOf(ticketPriorityLabels);

export function Component() {
  const navigate = useNavigate();
  const { id: userId } = useUser();
  // What is already on its way is not offered again; if it fails, the draft is still there.
  const sending = useIsMutating({ mutationKey: ticketKeys.create }) > 0;
  const [initial] = useState<NewTicket>(() => (sending ? null : readDraft(userId)) ?? blankTicket);
  const form = useZodForm(ticketSchema, initial);
  const create = useAction({
    run: createTicket,
    key: ticketKeys.create,
    refreshes: [ticketKeys.all],
    success: { title: 'Ticket criado', description: 'Seu ticket foi enviado com sucesso' },
    failure: { title: 'Erro', description: 'Não foi possível criar o ticket. Tente novamente.' },
    onSuccess: () => clearDraft(userId),
  });

  useEffect(
    () =>
      form.subscribe({ formState: { values: true }, callback: ({ values }) => saveDraft(userId, values) }),
    [form, userId],
  );

  const send = form.handleSubmit(
    (ticket) => {
      saveDraft(userId, ticket);
      create.run(ticket);
      void navigate(paths.tickets());
    },
    () =>
      toast({
        title: 'Erro no formulário',
        description: 'Por favor, corrija os erros antes de enviar',
        tone: 'destructive',
      }),
  );
  const { errors } = form.formState;
  return (
    <>
      <PageHeader title="Novo Ticket" back={{ to: paths.tickets(), label: 'Voltar para Tickets' }} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card>
          <form noValidate onSubmit={send}>
            <div className="flex flex-col gap-5 p-5 sm:p-6">
              <Field label="Assunto" required error={errors.subject?.message}>
                {(control) => <Input {...control} {...form.field('subject')} autoComplete="off" />}
              </Field>
              <div className="grid gap-5 sm:grid-cols-2">
                <Field label="Categoria">
                  {(control) => <Select {...control} {...form.field('category')} options={categories} />}
                </Field>
                <Field label="Prioridade">
                  {(control) => <Select {...control} {...form.field('priority')} options={priorities} />}
                </Field>
              </div>
              <Field label="Mensagem" required error={errors.message?.message}>
                {(control) => <Textarea {...control} {...form.field('message')} rows={8} />}
              </Field>
            </div>
            <div className="border-hairline flex flex-col-reverse gap-2 border-t px-5 py-4 sm:flex-row sm:justify-end sm:px-6">
              <ButtonLink to={paths.tickets()} variant="secondary" onClick={() => clearDraft(userId)}>
                Cancelar
              </ButtonLink>
              <Button type="submit">Enviar Ticket</Button>
            </div>
          </form>
        </Card>
        <aside aria-labelledby="dicas" className="bg-primary-tint rounded p-5 text-[15px]">
          <h2 id="dicas" className="flex items-center gap-2.5 text-lg">
            <Lightbulb size={20} aria-hidden className="text-primary" />
            Dicas
          </h2>
          <ul className="mt-3 flex list-disc flex-col gap-2 pl-5">
            <li>Descreva o que aconteceu e quando.</li>
            <li>Cite o nome do documento, se o assunto for um.</li>
            <li>O tempo médio de resposta é de 24 horas úteis.</li>
          </ul>
        </aside>
      </div>
    </>
  );
}
