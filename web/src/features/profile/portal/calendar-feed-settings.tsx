// Settings of the calendar feed: create, show, rotate and revoke the feed URL.
import { useQuery } from '@tanstack/react-query';
import { CalendarPlus, Copy } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

import { QueryContent } from '~/components/query-content';
import {
  type CalendarFeed,
  calendarFeedKeys,
  calendarFeedQuery,
  rotateCalendarFeed,
  revokeCalendarFeed,
  setFeedPayments,
} from '~/features/profile/api/calendar-feed';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useCopyToClipboard } from '~/hooks/use-copy-to-clipboard';
import { formatDate } from '~/lib/dates';
import { Button } from '~/ui/button';
import { Checkbox } from '~/ui/checkbox';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { SkeletonList } from '~/ui/skeleton';

// Loaded on demand, because a feed rarely changes.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

const FAILURE = { title: 'Erro', fallback: 'Não foi possível alterar o calendário. Tente novamente.' };

export function CalendarFeedSettings() {
  const link = useQuery(calendarFeedQuery());
  return (
    <QueryContent
      query={link}
      loading={<SkeletonList rows={1} className="p-5" rowClassName="h-24" />}
      className="py-8"
    >
      {(data) => (data.created_at === null ? <EmptyFeed /> : <FeedLink link={data} />)}
    </QueryContent>
  );
}

function EmptyFeed() {
  const create = useApiMutation({
    mutationFn: rotateCalendarFeed,
    invalidates: [calendarFeedKeys.all],
    successToast: { title: 'Link criado' },
    errorToast: FAILURE,
  });
  return (
    <div className="flex flex-col items-start gap-4 p-5">
      <p className="text-muted-foreground">
        Veja os vencimentos dos seus documentos no Google Agenda, no Outlook ou no calendário do celular,
        sempre atualizados.
      </p>
      <Button
        variant="secondary"
        icon={<CalendarPlus size={20} aria-hidden />}
        pending={create.isPending}
        onClick={() => create.mutate()}
      >
        Criar link do calendário
      </Button>
    </div>
  );
}

type Asking = 'renew' | 'revoke' | null;

function FeedLink({ link }: { link: CalendarFeed }) {
  const [asking, setAsking] = useState<Asking>(null);
  // Keeps the dialog's content during its closing animation.
  const [lastAsked, setLastAsked] = useState<Asking>(null);
  const ask = (next: Asking) => {
    setAsking(next);
    setLastAsked(next);
  };
  const close = () => setAsking(null);
  const renew = useApiMutation({
    mutationFn: rotateCalendarFeed,
    invalidates: [calendarFeedKeys.all],
    successToast: {
      title: 'Novo link criado',
      description: 'Troque o link nos calendários que você assinou.',
    },
    errorToast: FAILURE,
    onSettled: close,
  });
  const payments = useApiMutation({
    mutationFn: setFeedPayments,
    invalidates: [calendarFeedKeys.all],
    errorToast: FAILURE,
  });
  const revoke = useApiMutation({
    mutationFn: revokeCalendarFeed,
    invalidates: [calendarFeedKeys.all],
    successToast: { title: 'Link revogado' },
    errorToast: FAILURE,
    onSettled: close,
  });
  return (
    <div className="flex flex-col items-start gap-4 p-5">
      {link.url === null ? (
        <p>Há um link ativo, mas ele não pode mais ser mostrado. Crie um novo para assinar em outro lugar.</p>
      ) : (
        <Address url={link.url} />
      )}
      <Checkbox
        label="Mostrar valores e linhas digitáveis no calendário"
        checked={link.with_payments}
        disabled={payments.isPending}
        onChange={({ target }) => payments.mutate(target.checked)}
      />
      <p className="text-muted-foreground text-sm">
        Criado em {formatDate(link.created_at)}. Quem tem o link vê os nomes e as datas dos seus documentos
        {link.with_payments && ', e quanto pagar'}: não o compartilhe.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="secondary" onClick={() => ask('renew')}>
          Criar novo link
        </Button>
        <Button variant="quiet-danger" onClick={() => ask('revoke')}>
          Revogar link
        </Button>
      </div>
      {lastAsked !== null && (
        <Suspense>
          <ConfirmDialog
            open={asking !== null}
            onOpenChange={(open) => !open && close()}
            title={lastAsked === 'renew' ? 'Criar novo link' : 'Revogar link'}
            description="O link atual deixa de funcionar nos calendários em que foi assinado."
            confirm={lastAsked === 'renew' ? 'Criar novo link' : 'Revogar link'}
            danger={lastAsked === 'revoke'}
            pending={renew.isPending || revoke.isPending}
            onConfirm={() => (lastAsked === 'renew' ? renew.mutate() : revoke.mutate())}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Feed URL with subscription instructions. */
function Address({ url }: { url: string }) {
  const copy = useCopyToClipboard('Link copiado');
  return (
    <>
      <Field label="Link do calendário" className="w-full">
        {(control) => <Input {...control} readOnly value={url} onFocus={(event) => event.target.select()} />}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button icon={<Copy size={20} aria-hidden />} onClick={() => copy.mutate(url)}>
          Copiar link
        </Button>
        {/* Calendar apps open `webcal:` URLs as subscriptions. */}
        <a
          href={url.replace(/^https?:/, 'webcal:')}
          className="touch-target text-primary hover:bg-primary-subtle text-body inline-flex items-center rounded px-4 font-medium"
        >
          Abrir no calendário deste aparelho
        </a>
      </div>
      <div className="w-full">
        <h3 className="font-medium">Como assinar</h3>
        <dl className="mt-2 flex flex-col gap-2 text-sm">
          <SubscribeStep name="Google Agenda">
            No computador: Outras agendas, +, “Do URL”, e cole o link.
          </SubscribeStep>
          <SubscribeStep name="Outlook">Adicionar calendário, “Assinar da Web”, e cole o link.</SubscribeStep>
          <SubscribeStep name="iPhone, iPad e Mac">
            Abra o link neste aparelho, ou em Calendário, “Adicionar assinatura”, cole o link.
          </SubscribeStep>
        </dl>
        <p className="text-muted-foreground mt-2 text-sm">
          Cada programa busca as novidades no seu próprio ritmo; no Google pode levar um dia.
        </p>
      </div>
    </>
  );
}

function SubscribeStep({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt className="font-medium">{name}</dt>
      <dd className="text-muted-foreground">{children}</dd>
    </div>
  );
}
