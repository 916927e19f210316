// Public page that confirms a proof of delivery by its code, without anybody's data. A person who has the PDF can
// compare it here; the file stays in the browser.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';

import { OfficeLogo } from '~/components/office-logo';
import { DocumentTitle } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { type CheckedProof, checkedProofQuery } from '~/features/documents/api/delivery-proof';
import { serverConfig } from '~/lib/api/server-config';
import { formatDateTime } from '~/lib/dates';
import { Alert } from '~/ui/alert';
import { Card } from '~/ui/card';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';
import { Skeleton } from '~/ui/skeleton';

export { ProofPage as Component };

function ProofPage() {
  const { code = '' } = useParams();
  return (
    <main id="conteudo" tabIndex={-1} className="mx-auto w-full max-w-xl px-4 py-10 sm:py-16">
      <DocumentTitle title="Conferir comprovante" />
      <p className="mb-8 flex items-center gap-2.5 text-lg font-semibold tracking-tight">
        <OfficeLogo className="text-primary" />
        {serverConfig().product_name}
      </p>
      <Card className="p-5 sm:p-8">
        <h1 className="text-2xl">Conferir comprovante</h1>
        <p className="text-muted-foreground mt-1 mb-6 wrap-anywhere tabular-nums">Código {code}</p>
        <QueryContent query={useQuery(checkedProofQuery(code))} loading={<Skeleton className="h-64" />}>
          {(proof) =>
            proof ? (
              <Facts proof={proof} />
            ) : (
              <Alert variant="danger">
                Nenhum comprovante tem este código. Confira se ele foi digitado como está no papel.
              </Alert>
            )
          }
        </QueryContent>
      </Card>
    </main>
  );
}

const logNotes = {
  confirmed: 'Os registros conferem com o histórico do portal.',
  expired: 'O prazo de guarda dos registros no portal acabou; as datas abaixo são as da emissão.',
  contradicted: 'Os registros do portal não conferem com este comprovante. Fale com o escritório.',
} satisfies Record<CheckedProof['log'], string>;

function Facts({ proof }: { proof: CheckedProof }) {
  const isValid = proof.log !== 'contradicted';
  return (
    <>
      <Alert variant={isValid ? 'success' : 'danger'}>
        <p className="font-medium">{isValid ? `Emitido por ${proof.office}` : 'Não confere'}</p>
        <p className="mt-1">{logNotes[proof.log]}</p>
      </Alert>
      <div className="-mx-5">
        <DescriptionList>
          <DescriptionItem term="Emitido em">{formatDateTime(proof.issued_at)}</DescriptionItem>
          <DescriptionItem term="Publicado em">
            {proof.published_at ? formatDateTime(proof.published_at) : 'Não publicado'}
          </DescriptionItem>
          <DescriptionItem term="Aberto pelo cliente">
            {proof.opened_at ? formatDateTime(proof.opened_at) : 'Ainda não na emissão'}
          </DescriptionItem>
          <DescriptionItem term="Registros">{proof.events}</DescriptionItem>
          <DescriptionItem term="SHA-256 do documento">{proof.file_sha256 ?? 'Sem arquivo'}</DescriptionItem>
        </DescriptionList>
      </div>
      <FileComparison sha256={proof.pdf_sha256} />
    </>
  );
}

/** Compares a PDF that the visitor has with the issued one. */
function FileComparison({ sha256 }: { sha256: string }) {
  const [result, setResult] = useState<'same' | 'different' | null>(null);
  async function compare(file: File | undefined) {
    if (!file) return setResult(null);
    const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
    const bytes = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
    setResult(bytes.join('') === sha256 ? 'same' : 'different');
  }
  return (
    <div className="border-border border-t pt-5">
      <label className="flex flex-col gap-2">
        <span className="font-medium">Você tem o PDF? Compare com o emitido</span>
        <span className="text-muted-foreground text-sm">O arquivo não sai deste aparelho.</span>
        <input
          type="file"
          accept="application/pdf"
          onChange={(event) => void compare(event.target.files?.[0])}
          className="border-border min-h-11 w-full rounded-md border p-2"
        />
      </label>
      <div role="status" className="mt-3">
        {result === 'same' && (
          <Alert variant="success">O PDF é o comprovante emitido, sem nenhuma mudança.</Alert>
        )}
        {result === 'different' && (
          <Alert variant="danger">O PDF não é o comprovante emitido com este código.</Alert>
        )}
      </div>
    </div>
  );
}
