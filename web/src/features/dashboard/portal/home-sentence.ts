// The sentence at the top of the clients' home page.
import { pluralize } from '~/lib/format';

export type OpenWork = {
  overdue: number;
  today: number;
  unanswered: number;
  requests: number;
  answers: number;
};

/** '1 vencido, 1 vence hoje, 2 respostas novas', or that nothing is open. */
export function homeSentence({ overdue, today, unanswered, requests, answers }: OpenWork): string {
  const parts = [
    overdue > 0 && pluralize(overdue, 'vencido', 'vencidos'),
    today > 0 && pluralize(today, 'vence hoje', 'vencem hoje'),
    unanswered > 0 && pluralize(unanswered, 'documento a responder', 'documentos a responder'),
    requests > 0 && pluralize(requests, 'item a enviar', 'itens a enviar'),
    answers > 0 && pluralize(answers, 'resposta nova', 'respostas novas'),
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join(', ') : 'Tudo em dia: nada vencido e nada à sua espera.';
}
