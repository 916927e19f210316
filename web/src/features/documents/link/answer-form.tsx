// The question of a personal link: the last digits of the recipient's tax id, or a mailed code.
import { type FormEvent, useRef, useState } from 'react';

import {
  type LinkChallenge,
  linkChallengeQuery,
  type LinkedDocument,
  openLink,
  sendLinkCode,
} from '~/features/documents/api/personal-links';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { toUserMessage } from '~/lib/api/error-messages';
import { getErrorInfo } from '~/lib/api/errors';
import { refetchChanged } from '~/lib/api/query-client';
import { pluralize } from '~/lib/format';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

type AnswerFormProps = {
  token: string;
  challenge: LinkChallenge;
  onOpen: (document: LinkedDocument) => void;
};

export function AnswerForm({ token, challenge, onOpen }: AnswerFormProps) {
  const [isCodeSent, setIsCodeSent] = useState(false);
  const send = useApiMutation({
    mutationFn: sendLinkCode,
    invalidates: [linkChallengeQuery(token).queryKey],
    errorToast: { title: 'Erro', fallback: 'Não foi possível enviar o código. Tente novamente.' },
    successToast: { title: 'Código enviado' },
    onSuccess: () => setIsCodeSent(true),
  });
  const asksForCode = challenge.check === 'code';
  return (
    <>
      <h1 className="text-2xl">Abrir documento</h1>
      <p className="text-muted-foreground mt-1 mb-6">
        {asksForCode
          ? 'Este link é pessoal. Para confirmar que é você, o portal envia um código ao e-mail do seu cadastro.'
          : 'Este link é pessoal. Para confirmar que é você, digite o fim do seu CPF ou CNPJ.'}
      </p>
      {asksForCode && !isCodeSent ? (
        <Button className="w-full" pending={send.isPending} onClick={() => send.mutate(token)}>
          Enviar código por e-mail
        </Button>
      ) : (
        <Answer token={token} challenge={challenge} onOpen={onOpen} />
      )}
      {asksForCode && isCodeSent && (
        <Button
          variant="quiet"
          className="mt-3 w-full"
          pending={send.isPending}
          onClick={() => send.mutate(token)}
        >
          Enviar outro código
        </Button>
      )}
    </>
  );
}

function Answer({ token, challenge, onOpen }: AnswerFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const length = challenge.check === 'code' ? 6 : 4;
  const [error, setError] = useState<string>();
  const open = useApiMutation({
    mutationFn: openLink,
    onSuccess: onOpen,
    onError() {
      // The number of answers that are left, or the reason why there are none.
      void refetchChanged(linkChallengeQuery(token).queryKey);
      input.current?.select();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    const answer = input.current?.value.replaceAll(/\D/g, '') ?? '';
    if (answer.length !== length) {
      setError(`Digite ${length} números.`);
      return input.current?.focus();
    }
    setError(undefined);
    open.mutate({ token, answer });
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {open.error && <Alert variant="danger">{refusal(open.error, challenge.answers_left)}</Alert>}
      <Field
        label={challenge.check === 'code' ? 'Código de 6 dígitos' : '4 últimos números do CPF ou CNPJ'}
        required
        error={error}
      >
        {(aria) => (
          <Input
            {...aria}
            ref={input}
            inputMode="numeric"
            autoComplete={challenge.check === 'code' ? 'one-time-code' : 'off'}
            maxLength={12}
            className="text-lg tracking-widest tabular-nums"
          />
        )}
      </Field>
      <Button type="submit" pending={open.isPending} className="w-full">
        Abrir documento
      </Button>
    </form>
  );
}

function refusal(error: unknown, left: number): string {
  if (getErrorInfo(error).code !== 'wrong_answer')
    return toUserMessage(error, 'Não foi possível abrir o documento. Tente novamente.');
  return `Não confere. ${pluralize(left, 'tentativa', 'tentativas')} até o link ser bloqueado.`;
}
