// User messages for errors of the server and the network, by error code. Screens supply the fallback for unknown codes.
import type { ErrorCode } from './database.types';
import { getErrorInfo, isNetworkError, isSessionExpired } from './errors';
import { serverConfig } from './server-config';

const SESSION_EXPIRED = 'Sua sessão terminou. Entre novamente.';
export const COMMON_PASSWORD =
  'Esta senha está entre as mais usadas. Escolha outra, mais difícil de adivinhar.';
export const EMAIL_NOT_ASCII = 'Use só letras sem acento antes do @ do e-mail.';
export const RATE_LIMITED = 'Muitas tentativas. Aguarde um pouco e tente de novo.';

/** Codes of errors that the web app itself raises. */
type AppErrorCode =
  | 'attachments_failed'
  | 'code_refused'
  | 'InvalidSentType'
  | 'file_locked'
  | 'file_pending'
  | 'nothing_to_reset'
  | 'view_only';

type ErrorMessages = { [Code in ErrorCode | AppErrorCode]?: string };

const messageByCode: Record<string, string> = {
  // Accounts.
  invalid_credentials: 'E-mail ou senha incorretos.',
  email_not_confirmed: 'Este e-mail ainda não foi confirmado.',
  user_banned: 'Este acesso está suspenso. Fale com o escritório.',
  user_not_found: 'Este usuário não existe mais.',
  email_address_not_ascii: EMAIL_NOT_ASCII,
  email_exists: 'Já existe uma conta com este e-mail.',
  user_already_exists: 'Já existe uma conta com este e-mail.',
  same_password: 'A nova senha precisa ser diferente da atual.',
  current_password_required: 'Informe a senha atual.',
  current_password_invalid: 'A senha atual está incorreta.',
  reauthentication_needed: 'Confirme que é você com o código enviado por e-mail.',
  reauthentication_not_valid: 'O código está incorreto ou expirou. Peça outro.',
  otp_expired: 'Este link expirou ou já foi usado. Peça um novo.',
  signup_disabled: 'O cadastro está desativado neste portal.',
  view_only: 'Você está vendo o portal como o cliente: aqui nada pode ser alterado.',
  no_person: 'Só a própria pessoa pode fazer isto.',
  password_change_required: 'Escolha uma nova senha para continuar.',
  insufficient_aal: 'Confirme a verificação em duas etapas para continuar.',
  not_admin: 'Você não tem permissão para isto.',
  over_request_rate_limit: RATE_LIMITED,
  over_email_send_rate_limit: 'Muitos e-mails pedidos. Aguarde um pouco e tente de novo.',
  // Tables.
  '22P02': 'O registro não existe ou foi removido.',
  '22001': 'Um dos campos passou do tamanho permitido.',
  '23503': 'O registro está ligado a outro que não existe ou ainda está em uso.',
  '23505': 'Já existe um registro com estes dados.',
  '23514': 'Um dos campos tem um valor que não é aceito.',
  PT404: 'O registro não existe ou foi removido.',
  PT409: 'Este ticket foi fechado há mais de 7 dias. Abra um novo ticket.',
  attachments_failed: 'A mensagem foi enviada, mas os anexos não. Tente novamente.',
  '42501': 'Você não tem permissão para isto.',
  PGRST116: 'O registro não existe ou foi removido.',
  // Files.
  NoSuchKey: 'O arquivo não existe ou foi removido.',
  NoSuchBucket: 'O arquivo não existe ou foi removido.',
  InvalidKey: 'O nome do arquivo tem caracteres que não são aceitos.',
  KeyAlreadyExists: 'Já existe um arquivo com este nome.',
  EntityTooLarge: 'O arquivo excede o limite de tamanho.',
  InvalidMimeType: 'Este tipo de arquivo não é aceito. Envie PDF, imagem, Word, Excel, CSV, TXT ou XML.',
  InvalidSentType:
    'Este tipo de arquivo não é aceito. Envie PDF, foto, vídeo, Word, Excel, XML, OFX, CSV, TXT ou ZIP.',
  QuotaExceeded: 'Não há mais espaço para este arquivo.',
  ServerBusy: 'O portal está recebendo muitos arquivos. Tente novamente em instantes.',
  SlowDown: 'Há arquivos demais à espera de uma mensagem. Tente novamente mais tarde.',
  AccessDenied: 'Você não tem permissão para isto.',
  link_closed: 'Este link não abre mais o documento.',
  file_pending: 'O escritório ainda não liberou este arquivo.',
  // Errors that the browser detects in a file.
  file_locked: 'Abra o documento com a senha dele e imprima de novo.',
} satisfies ErrorMessages;

/** Adds messages that only some screens load (`error-messages.admin.ts`). */
export function registerErrorMessages(messages: ErrorMessages): void {
  Object.assign(messageByCode, messages);
}

/** Error codes by the phrases that the storage API sends to older clients instead. */
const codeByStoragePhrase: Record<string, string> = {
  not_found: 'NoSuchKey',
  Duplicate: 'KeyAlreadyExists',
  'Payload too large': 'EntityTooLarge',
  invalid_mime_type: 'InvalidMimeType',
  Unauthorized: 'AccessDenied',
};

/** The message for an error, or `fallback` for an unknown one. */
export function toUserMessage(error: unknown, fallback: string): string {
  if (isNetworkError(error)) return 'Sem conexão com o servidor. Verifique sua internet e tente novamente.';
  const { code, status } = getErrorInfo(error);
  if (code === 'weak_password') {
    return isCommonPassword(error)
      ? COMMON_PASSWORD
      : `A senha deve ter no mínimo ${serverConfig().password_min} caracteres.`;
  }
  if (isSessionExpired(error)) return SESSION_EXPIRED;
  const message = code === undefined ? undefined : messageByCode[codeByStoragePhrase[code] ?? code];
  if (message) return message;
  if (status === 413) return 'O arquivo excede o limite de tamanho.';
  if (status === 429) return RATE_LIMITED;
  // Other MFA errors are conflicts with a change in another tab or by another administrator.
  if (code?.includes('mfa_')) return 'A verificação em duas etapas mudou. Recarregue a página.';
  return fallback;
}

function isCommonPassword(error: unknown): boolean {
  if (!(error instanceof Error && 'reasons' in error)) return false;
  return Array.isArray(error.reasons) && error.reasons.includes('pwned');
}
