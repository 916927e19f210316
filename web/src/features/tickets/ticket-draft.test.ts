// Unit tests of the ticket form's validation.
import { expect, test } from 'vitest';

import { blankTicket, ticketSchema } from './ticket-draft';

const messages = (subject: string, message: string) =>
  ticketSchema
    .safeParse({ ...blankTicket, subject, message })
    .error?.issues.map((issue) => [issue.path[0], issue.message]) ?? [];

test.each([
  ['Fatura', 'Preciso da segunda via.', []],
  ['', 'Preciso da segunda via.', [['subject', 'O assunto é obrigatório']]],
  ['   ', 'Preciso da segunda via.', [['subject', 'O assunto é obrigatório']]],
  ['Fatura', '', [['message', 'A mensagem é obrigatória']]],
  ['Fatura', '    ', [['message', 'A mensagem é obrigatória']]],
  ['Fatura', '  123456789  ', [['message', 'A mensagem deve ter pelo menos 10 caracteres']]],
  ['Fatura', '1234567890', []],
])('%j, %j', (subject, message, expected) => {
  expect(messages(subject, message)).toEqual(expected);
});
