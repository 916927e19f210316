// Messages for errors of MFA. The challenge and the settings load them.
import { registerErrorMessages, RATE_LIMITED } from './error-messages';

const WRONG_CODE = 'O código está incorreto, venceu ou já foi usado.';
/** For conflicts with a change in another tab or by an administrator. */
const STEP_CHANGED = 'A verificação em duas etapas mudou. Recarregue a página.';

registerErrorMessages({
  mfa_verification_failed: WRONG_CODE,
  mfa_challenge_expired: WRONG_CODE,
  mfa_factor_not_found: STEP_CHANGED,
  mfa_factor_name_conflict: STEP_CHANGED,
  mfa_verified_factor_exists: STEP_CHANGED,
  mfa_recovery_codes_sole_factor: STEP_CHANGED,
  too_many_enrolled_mfa_factors: STEP_CHANGED,
  mfa_recovery_codes_locked: RATE_LIMITED,
});
