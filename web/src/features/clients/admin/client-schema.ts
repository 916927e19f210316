import * as z from 'zod/mini';

import { parseTaxId } from '~/lib/tax-id';
import { emailSchema } from '~/lib/validation';

export const clientEmailSchema = emailSchema('Email é obrigatório.');

export type ClientValues = {
  full_name: string;
  email: string;
  tax_id: string;
  /** A new client chooses a password by way of a mailed link, instead of being given one. */
  invite: boolean;
  /** A password that is given here serves for the first sign-in alone. */
  mustChangePassword: boolean;
  password: string;
  confirmPassword: string;
};

/**
 * The fields of the client form. A new client needs a password or an invitation; an old one keeps theirs when none is
 * typed.
 * Everything that is wrong is said at once, so no rule stops the others.
 */
export function clientSchema(mode: 'new' | 'edit', min: number) {
  const shape = {
    full_name: z.string().check(z.trim(), z.minLength(1, 'Nome completo é obrigatório.')),
    email: clientEmailSchema,
    tax_id: z
      .string()
      .check(z.refine((typed) => typed.trim() === '' || parseTaxId(typed) !== null, 'CPF ou CNPJ inválido.')),
    invite: z.boolean(),
    mustChangePassword: z.boolean(),
    password: z.string(),
    confirmPassword: z.string(),
  };
  return z.object(shape).check(
    rule('password', 'Senha é obrigatória.', ({ password }) => mode === 'edit' || password !== ''),
    rule(
      'password',
      `Senha deve ter no mínimo ${min} caracteres.`,
      ({ password }) => password === '' || password.length >= min,
    ),
    rule(
      'confirmPassword',
      'As senhas não coincidem.',
      ({ password, confirmPassword }) => password === confirmPassword,
    ),
  );
}

/** What is asked of the two passwords of somebody who is not invited. */
function rule(field: string, message: string, holds: (values: ClientValues) => boolean) {
  return z.refine<ClientValues>((values) => values.invite || holds(values), {
    path: [field],
    message,
    // These rules are asked even when another field is at fault.
    when: () => true,
  });
}
