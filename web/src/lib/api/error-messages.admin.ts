// Messages for errors that only occur in the admin area. Its sign-in page and its layout load them.
import { registerErrorMessages, RATE_LIMITED } from './error-messages';

const WRONG_CODE = 'O código está incorreto, venceu ou já foi usado.';
/** For conflicts with a change in another tab or by another administrator. */
const STEP_CHANGED = 'A verificação em duas etapas mudou. Recarregue a página.';

registerErrorMessages({
  setup_token_invalid: 'Este link de configuração não vale mais. Reinicie o servidor para receber outro.',
  last_admin: 'Este é o último administrador: promova outra pessoa antes.',
  own_role: 'Você não pode tirar o seu próprio acesso de administrador. Peça a outro administrador.',
  own_account: 'Você não pode excluir a sua própria conta. Peça a outro administrador.',
  QuotaExceeded: 'O espaço para arquivos acabou, no portal ou para este cliente.',
  staff_account: 'Tire primeiro o acesso de administrador desta pessoa.',
  erasure_not_confirmed: 'O e-mail digitado não é o do cliente.',
  answer_too_large: 'A resposta é grande demais. Filtre ou busque menos registros de uma vez.',
  document_held: 'O documento está sob guarda legal e não pode ser excluído nem substituído.',
  mfa_verification_failed: WRONG_CODE,
  mfa_challenge_expired: WRONG_CODE,
  mfa_factor_not_found: STEP_CHANGED,
  mfa_factor_name_conflict: STEP_CHANGED,
  mfa_verified_factor_exists: STEP_CHANGED,
  mfa_recovery_codes_sole_factor: STEP_CHANGED,
  too_many_enrolled_mfa_factors: STEP_CHANGED,
  mfa_recovery_codes_locked: RATE_LIMITED,
});
