// What several forms ask of their fields, in the spec's words.
import { z } from 'zod';

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Required when signing in or asking for a link. */
export const emailSchema = z.string().trim().min(1, 'Informe o e-mail.').regex(ADDRESS, 'Email inválido.');

/** A new password typed twice. The shorter complaint comes first, since it is the one to mend first. */
export function newPasswordSchema(min: number) {
  return z
    .object({
      password: z.string().min(min, `A senha deve ter no mínimo ${min} caracteres.`),
      confirmPassword: z.string(),
    })
    .refine(({ password, confirmPassword }) => password === confirmPassword, {
      path: ['confirmPassword'],
      message: 'As senhas não coincidem.',
      // The two fields are compared even when another one is at fault.
      when: () => true,
    });
}
