// Sign-in with a code of six digits, which the server mails.
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';

import { EmailField, TextField } from '~/components/form-fields';
import { sendSignInCode, signInWithCode, signInWithLink } from '~/features/auth/api/sign-in-code';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { registerErrorMessages, toUserMessage } from '~/lib/api/error-messages';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

import { AuthLayout } from './auth-layout';
import { forgetLinkParams, readLinkParams, useReloadOnNewLink } from './link-params';
import { session } from './session';
import { SignInLink } from './sign-in-link';

const SEND_FALLBACK = 'Falha ao enviar o código.';
const LINK_FALLBACK = 'Falha ao entrar com o link.';
const CODE_FALLBACK = 'Falha ao entrar com o código.';

registerErrorMessages({ code_refused: 'O código está incorreto ou expirou. Confira ou peça outro.' });

const loadEmailSchema = async () => (await import('./schemas')).forgotPasswordSchema;
const loadCodeSchema = async () => (await import('./schemas')).signInCodeSchema;

/** The toast of a sign-in, which is not complete while MFA is pending. */
const signedIn = () => (session.get().user?.pendingStep === 'mfa' ? null : { title: 'Login bem-sucedido!' });

export { SignInCodePage as Component };

function SignInCodePage() {
  const navigate = useNavigate();
  // The entry of the history survives a reload: phones drop the tab while the person reads the mail.
  const { state } = useLocation();
  const email: unknown = state?.email;
  const [tokenHash, setTokenHash] = useState(() => readLinkParams('signIn').get('token_hash'));
  useReloadOnNewLink();
  if (tokenHash !== null) {
    return (
      <AuthLayout area="client" title="Entrar no portal" description="Falta só um clique para entrar.">
        <LinkForm tokenHash={tokenHash} onAnotherWay={() => setTokenHash(null)} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout
      area="client"
      title="Entrar com código"
      description={
        typeof email === 'string'
          ? 'Digite o código que chegou por e-mail. Ele serve uma única vez.'
          : 'Informe o e-mail da sua conta para receber um código de 6 dígitos.'
      }
    >
      {typeof email === 'string' ? (
        <CodeForm email={email} onBack={() => void navigate(-1)} />
      ) : (
        <EmailForm onSent={(sent) => void navigate(paths.signInCode(), { state: { email: sent } })} />
      )}
      <div className="mt-3 flex flex-col">
        <SignInLink to={paths.login()}>
          <ArrowLeft size={18} aria-hidden />
          Voltar para o Login
        </SignInLink>
      </div>
    </AuthLayout>
  );
}

function EmailForm({ onSent }: { onSent: (email: string) => void }) {
  const form = useZodForm(loadEmailSchema, { email: '' });
  const request = useApiMutation({
    mutationFn: sendSignInCode,
    errorToast: { title: 'Erro', fallback: SEND_FALLBACK },
    onSuccessIfMounted: (_, email) => onSent(email),
  });
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit(({ email }) => request.mutate(email))}
      className="flex flex-col gap-5"
    >
      {request.error && <Alert variant="danger">{toUserMessage(request.error, SEND_FALLBACK)}</Alert>}
      <EmailField {...form.bind('email')} label="E-mail" required autoComplete="username" />
      <Button type="submit" pending={request.isPending} className="w-full">
        Enviar código
      </Button>
    </form>
  );
}

/** Signs in with the token of the mailed link. Only the click consumes it, because mail scanners open links. */
function LinkForm({ tokenHash, onAnotherWay }: { tokenHash: string; onAnotherWay: () => void }) {
  const login = useApiMutation({
    mutationFn: signInWithLink,
    successToast: signedIn,
    errorToast: { title: 'Erro de Login', fallback: LINK_FALLBACK },
    onSettled: () => forgetLinkParams('signIn'),
  });
  return (
    <div className="flex flex-col gap-5">
      {login.error && <Alert variant="danger">{toUserMessage(login.error, LINK_FALLBACK)}</Alert>}
      <Button pending={login.isPending} onClick={() => login.mutate(tokenHash)} className="w-full">
        Entrar
      </Button>
      <Button variant="quiet" onClick={onAnotherWay} className="self-center">
        Receber outro código
      </Button>
    </div>
  );
}

/** Asks for the code. The route guard redirects after a successful sign-in. */
function CodeForm({ email, onBack }: { email: string; onBack: () => void }) {
  const form = useZodForm(loadCodeSchema, { code: '' });
  const login = useApiMutation({
    mutationFn: signInWithCode,
    successToast: signedIn,
    errorToast: { title: 'Erro de Login', fallback: CODE_FALLBACK },
    onError: () => form.setFocus('code'),
  });
  const again = useApiMutation({
    mutationFn: sendSignInCode,
    successToast: { title: 'Código enviado' },
    errorToast: { title: 'Erro', fallback: SEND_FALLBACK },
  });
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit(({ code }) => login.mutate({ email, code }))}
      className="flex flex-col gap-5"
    >
      <Alert variant="info">
        Se uma conta com o e-mail <strong className="wrap-anywhere">{email}</strong> existir, o código chega
        em instantes.
      </Alert>
      {login.error && <Alert variant="danger">{toUserMessage(login.error, CODE_FALLBACK)}</Alert>}
      <TextField
        {...form.bind('code')}
        label="Código de 6 dígitos"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        controlClassName="tabular-nums"
      />
      <Button type="submit" pending={login.isPending} className="w-full">
        Entrar
      </Button>
      <div className="-my-2 flex flex-wrap justify-center">
        <Button variant="quiet" pending={again.isPending} onClick={() => again.mutate(email)}>
          Enviar outro código
        </Button>
        <Button variant="quiet" onClick={onBack}>
          Usar outro e-mail
        </Button>
      </div>
    </form>
  );
}
