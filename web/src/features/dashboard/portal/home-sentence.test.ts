import { expect, test } from 'vitest';

import { homeSentence } from './home-sentence';

const nothing = { overdue: 0, today: 0, unanswered: 0, requests: 0, answers: 0 };

test('home sentence names only what is open, the overdue first', () => {
  expect(homeSentence({ ...nothing, overdue: 1, today: 1, answers: 2 })).toBe(
    '1 vencido, 1 vence hoje, 2 respostas novas',
  );
  expect(homeSentence({ overdue: 3, today: 2, unanswered: 1, requests: 1, answers: 0 })).toBe(
    '3 vencidos, 2 vencem hoje, 1 documento a responder, 1 item a enviar',
  );
});

test('home sentence is calm if nothing is open', () => {
  expect(homeSentence(nothing)).toBe('Tudo em dia: nada vencido e nada à sua espera.');
});
