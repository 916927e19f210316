// Public page of a personal link: it asks for an answer that the recipient knows, and then shows one document.
import { useQuery } from '@tanstack/react-query';
import { FileX } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { DocumentTitle } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import {
  linkChallengeQuery,
  type LinkedDocument,
  type LinkState,
} from '~/features/documents/api/personal-links';
import { getErrorInfo } from '~/lib/api/errors';
import { queryClient } from '~/lib/api/query-client';
import { serverConfig } from '~/lib/api/server-config';
import { paths } from '~/paths';
import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { Logo } from '~/ui/logo';
import { Skeleton } from '~/ui/skeleton';

import { AnswerForm } from './answer-form';

// Loaded on demand: before the answer there is nothing to show.
const LinkedDocumentView = lazy(async () => ({
  default: (await import('./linked-document-view')).LinkedDocumentView,
}));

export function loader({ params: { token = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(linkChallengeQuery(token));
  return null;
}

export { PersonalLinkPage as Component };

function PersonalLinkPage() {
  const { token = '' } = useParams();
  const [document, setDocument] = useState<LinkedDocument>();
  return (
    <main
      id="conteudo"
      tabIndex={-1}
      className={`mx-auto w-full px-4 py-6 sm:py-10 ${document ? 'max-w-5xl' : 'max-w-xl'}`}
    >
      <DocumentTitle title={document?.name ?? 'Abrir documento'} />
      <p className="mb-6 flex items-center gap-2.5 text-lg font-semibold tracking-tight">
        <Logo className="text-primary" />
        {serverConfig().product_name}
      </p>
      {document ? (
        <Suspense fallback={<Skeleton className="h-[75dvh]" />}>
          <LinkedDocumentView document={document} />
        </Suspense>
      ) : (
        <Card className="p-5 sm:p-8">
          <Question token={token} onOpen={setDocument} />
        </Card>
      )}
    </main>
  );
}

function Question({ token, onOpen }: { token: string; onOpen: (document: LinkedDocument) => void }) {
  const query = useQuery(linkChallengeQuery(token));
  if (query.isError && getErrorInfo(query.error).status === 404) return <ClosedLink reason="unknown" />;
  return (
    <QueryContent query={query} loading={<Skeleton className="h-64" />}>
      {(challenge) =>
        challenge.state === 'ready' ? (
          <AnswerForm token={token} challenge={challenge} onOpen={onOpen} />
        ) : (
          <ClosedLink reason={challenge.state} />
        )
      }
    </QueryContent>
  );
}

const reasons: Record<Exclude<LinkState, 'ready'> | 'unknown', { title: string; hint: string }> = {
  unknown: {
    title: 'Link não encontrado',
    hint: 'Confira se o endereço veio inteiro na mensagem. O documento também pode ter sido removido.',
  },
  expired: { title: 'Este link venceu', hint: 'Links pessoais valem por 7 dias.' },
  revoked: { title: 'Este link foi cancelado', hint: 'O escritório cancelou o link.' },
  locked: {
    title: 'Link bloqueado',
    hint: 'Houve respostas erradas demais. Por segurança, este link não abre mais o documento.',
  },
  unavailable: {
    title: 'Documento não disponível',
    hint: 'O escritório recolheu o documento, ou ele não está mais disponível por este link.',
  },
};

/** Explains why a link opens nothing, and names the ways on. */
function ClosedLink({ reason }: { reason: keyof typeof reasons }) {
  const { title, hint } = reasons[reason];
  return (
    <EmptyState
      heading
      className="px-0 py-4"
      icon={<FileX size={28} />}
      title={title}
      hint={`${hint} Peça outro a ${serverConfig().product_name}, ou entre no portal para ver os seus documentos.`}
      action={<ButtonLink to={paths.login()}>Entrar no portal</ButtonLink>}
    />
  );
}
