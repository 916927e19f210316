// The sums, the chart and the documents of a year of payments.
import { Wallet } from 'lucide-react';
import { Link } from 'react-router';

import { type DueAmount, MAX_DOCUMENTS, type YearOfAmounts } from '~/features/documents/api/payments-of-year';
import { sumPayments } from '~/features/documents/sum-payments';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { expiryOf, formatDate } from '~/lib/dates';
import { isPaidInTime } from '~/lib/days-off';
import { formatInteger, pluralize } from '~/lib/format';
import { formatMoney } from '~/lib/money';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Card, Panel } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';

import { PaymentsChart } from './payments-chart';

export function PaymentsYear({ year, documents, total: count }: YearOfAmounts & { year: number }) {
  useCurrentMinute();
  if (documents.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={<Wallet size={26} />}
          title={`Nenhum pagamento em ${year}`}
          hint="Documentos com valor e vencimento aparecem aqui."
        />
      </Card>
    );
  }
  const sums = sumPayments(documents);
  return (
    <div className="flex flex-col gap-6">
      {count > documents.length && (
        <p className="text-warning">
          Este ano tem {formatInteger(count)} documentos. A página soma os primeiros{' '}
          {formatInteger(MAX_DOCUMENTS)}.
        </p>
      )}
      <Card>
        <dl className="divide-border grid divide-y sm:grid-cols-3 sm:divide-x sm:divide-y-0">
          <Sum term={`Total de ${year}`} cents={sums.total} />
          <Sum term="Informado como pago" cents={sums.paid} />
          <Sum term="Sem aviso de pagamento" cents={sums.total - sums.paid} />
        </dl>
      </Card>
      <Panel title="Por mês">
        <PaymentsChart year={year} sums={sums} />
      </Panel>
      <Panel title={pluralize(documents.length, 'documento', 'documentos')}>
        <ul className="divide-border divide-y">
          {documents.map((document) => (
            <li key={document.id} className="content-auto-16">
              <Row document={document} />
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function Sum({ term, cents }: { term: string; cents: number }) {
  return (
    <div className="flex items-baseline justify-between gap-4 px-5 py-4 sm:block">
      <dt className="text-muted-foreground text-sm">{term}</dt>
      <dd className="text-xl font-semibold tracking-tight tabular-nums">{formatMoney(cents)}</dd>
    </div>
  );
}

function Row({ document }: { document: DueAmount }) {
  const { id, name, expires_at, amount_cents } = document;
  return (
    <Link
      to={paths.document(id)}
      className="hover:bg-muted flex min-h-16 flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3 transition-colors"
    >
      <span className="min-w-0 grow basis-60">
        <span className="block font-medium wrap-anywhere">{name}</span>
        <span className="text-muted-foreground text-sm tabular-nums">
          Vencimento {formatDate(expires_at)}
        </span>
      </span>
      <PaymentBadge document={document} />
      <span className="ml-auto min-w-28 text-right tabular-nums">{formatMoney(amount_cents)}</span>
    </Link>
  );
}

function PaymentBadge({ document }: { document: DueAmount }) {
  const { expires_at, category, document_payments: payments } = document;
  const [payment] = payments;
  if (payment) return <Badge tone="success">Pago em {formatDate(payment.paid_on)}</Badge>;
  return expiryOf(expires_at) === 'expired' && !isPaidInTime(expires_at, category) ? (
    <Badge tone="danger">Vencido</Badge>
  ) : (
    <Badge tone="neutral">A pagar</Badge>
  );
}
