// Validation schemas shared by several forms. They use `zod/mini` because the sign-in page loads them.
import * as z from 'zod/mini';

const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** A required e-mail address. */
export const emailSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, { message: 'Informe o e-mail.', abort: true }),
    z.regex(EMAIL_PATTERN, 'Email inválido.'),
  );

/** A new password and its confirmation. `min` is the minimum length in characters. */
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
        // The fields are compared even if another check fails.
        when: () => true,
      }),
    );
}
