// Messages for errors of passkeys and security keys. Their components load them.
import { registerErrorMessages } from './error-messages';

const EXPIRED = 'O pedido expirou. Tente de novo.';

registerErrorMessages({
  webauthn_verification_failed: 'Esta chave de acesso não vale para este portal.',
  webauthn_challenge_expired: EXPIRED,
  webauthn_challenge_not_found: EXPIRED,
  webauthn_credential_exists: 'Esta chave de acesso já está cadastrada.',
  passkey_disabled: 'Este portal não oferece chaves de acesso.',
  too_many_passkeys: 'Você já tem dez chaves de acesso. Remova uma antes.',
});
