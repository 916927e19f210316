// Electronic invoice as a readable sheet.
import type { Invoice, Party } from './preview';

export function InvoiceView({ invoice }: { invoice: Invoice }) {
  const { title, facts, issuer, recipient, items, totals, total, isCut } = invoice;
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label="Nota fiscal"
      className="bg-muted h-[min(75dvh,60rem)] overflow-auto p-3 sm:p-6"
    >
      <div className="border-border bg-card mx-auto max-w-3xl rounded border">
        <div className="border-border flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 border-b p-5">
          <h2 className="text-xl">{title}</h2>
          <p className="text-xl font-semibold tabular-nums">{total}</p>
          <p className="text-muted-foreground text-caption w-full">
            Leitura do arquivo XML. O portal não consulta a situação da nota na Receita nem na prefeitura.
          </p>
        </div>
        <dl className="border-border grid gap-x-6 gap-y-3 border-b p-5 sm:grid-cols-3">
          {facts.map(({ term, value }) => (
            <div key={term} className={value.length > 30 ? 'sm:col-span-3' : undefined}>
              <dt className="text-muted-foreground text-caption">{term}</dt>
              <dd className="wrap-anywhere tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        <div className="border-border grid border-b sm:grid-cols-2">
          <PartyFacts label={title === 'NFS-e' ? 'Prestador' : 'Emitente'} party={issuer} />
          {recipient && (
            <PartyFacts label={title === 'NFS-e' ? 'Tomador' : 'Destinatário'} party={recipient} />
          )}
        </div>
        <div className="overflow-x-auto">
          <table className="w-full text-sm tabular-nums">
            <thead>
              <tr className="text-muted-foreground text-left">
                <th scope="col" className="px-5 py-2.5 font-medium">
                  Descrição
                </th>
                <th scope="col" className="px-3 py-2.5 text-right font-medium">
                  Quantidade
                </th>
                <th scope="col" className="px-3 py-2.5 text-right font-medium">
                  Preço
                </th>
                <th scope="col" className="px-5 py-2.5 text-right font-medium">
                  Total
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item, at) => (
                <tr key={at} className="border-border border-t align-top">
                  <td className="min-w-44 px-5 py-2.5 wrap-anywhere whitespace-pre-line">
                    {item.description}
                  </td>
                  <td className="px-3 py-2.5 text-right whitespace-nowrap">{item.quantity}</td>
                  <td className="px-3 py-2.5 text-right whitespace-nowrap">{item.price}</td>
                  <td className="px-5 py-2.5 text-right whitespace-nowrap">{item.total}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {isCut && (
          <p className="text-muted-foreground border-border border-t px-5 py-3 text-sm">
            … Os demais itens estão no arquivo baixado.
          </p>
        )}
        <dl className="border-border ml-auto flex flex-col gap-1.5 border-t p-5 sm:max-w-80">
          {totals.map(({ term, value }) => (
            <div key={term} className="flex justify-between gap-6">
              <dt className="text-muted-foreground">{term}</dt>
              <dd className="tabular-nums">{value}</dd>
            </div>
          ))}
          <div className="border-border mt-1 flex justify-between gap-6 border-t pt-2 font-semibold">
            <dt>Total da nota</dt>
            <dd className="tabular-nums">{total}</dd>
          </div>
        </dl>
      </div>
    </div>
  );
}

function PartyFacts({ label, party }: { label: string; party: Party }) {
  return (
    <div className="border-border p-5 not-first:border-t sm:not-first:border-t-0 sm:not-first:border-l">
      <h3 className="text-muted-foreground text-caption font-normal tracking-normal">{label}</h3>
      <p className="font-medium wrap-anywhere">{party.name}</p>
      <p className="text-muted-foreground text-sm tabular-nums">
        {[party.taxId, party.place].filter((part) => part !== '').join(' · ')}
      </p>
    </div>
  );
}
