// Validation rules that several forms share. Uses zod/mini, because the client area loads this module.
import * as z from 'zod/mini';

import { EMAIL_NOT_ASCII } from './api/error-messages';

/** Also matches a blank text, which has a message of its own. */
const EMAIL_PATTERN = /^([^\s@]+@[^\s@]+\.[^\s@]+)?$/;

/** A required e-mail address, trimmed. `missing` is the message of a blank one. No rule aborts the others of its form. */
export function emailSchema(missing = 'Informe o e-mail.') {
  return z.string().check(z.trim(), z.minLength(1, missing), z.regex(EMAIL_PATTERN, 'Email inválido.'));
}

/** The address of a new account. The server refuses other characters before the @ (RFC 6531). */
export function newEmailSchema(missing?: string) {
  return emailSchema(missing).check(z.refine((email) => !/\P{ASCII}.*@/u.test(email), EMAIL_NOT_ASCII));
}

/** A new password typed twice. */
export function newPasswordSchema(min: number) {
  return z
    .object({
      password: z.string().check(z.minLength(min, `A senha deve ter no mínimo ${min} caracteres.`)),
      confirmPassword: z.string(),
    })
    .check(
      z.refine(({ password, confirmPassword }) => password === confirmPassword, {
        path: ['confirmPassword'],
        message: 'As senhas não coincidem.',
        // The two fields are compared even when another one is at fault.
        when: () => true,
      }),
    );
}
