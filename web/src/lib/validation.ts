// What several forms ask of their fields, in the spec's words. The small form of zod, since the sign-in page loads it.
import * as z from 'zod/mini';

const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Required when signing in or asking for a link. */
export const emailSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, { message: 'Informe o e-mail.', abort: true }),
    z.regex(EMAIL_PATTERN, 'Email inválido.'),
  );

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
