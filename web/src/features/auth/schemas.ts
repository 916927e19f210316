// Schemas of the forms that visitors see before the sign-in. The pages load this module on demand: see `useZodForm`.
import * as z from 'zod/mini';

import { emailSchema, newPasswordSchema } from '~/lib/validation';

export const signInSchema = z.object({
  email: emailSchema(),
  password: z.string().check(z.minLength(1, 'Informe a senha.')),
});

export const forgotPasswordSchema = z.object({ email: emailSchema() });

/** Six digits; spaces between them are dropped. */
export const signInCodeSchema = z.object({
  code: z.pipe(
    z.pipe(
      z.string(),
      z.transform((code) => code.replaceAll(/\s/g, '')),
    ),
    z.string().check(z.regex(/^\d{6}$/, 'Informe os 6 dígitos do código.')),
  ),
});

export const resetPasswordSchema = newPasswordSchema;

export function setupSchema(min: number) {
  return z.safeExtend(newPasswordSchema(min), {
    full_name: z.string().check(z.trim(), z.minLength(1, 'Nome completo é obrigatório.')),
    email: emailSchema(),
  });
}
