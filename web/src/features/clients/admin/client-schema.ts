// Validation schema of the client form.
import * as z from 'zod/mini';

import type { Client } from '~/features/clients/api/clients';
import { normalizePassword } from '~/lib/normalize-password';
import { formatPhone, parsePhone } from '~/lib/phone';
import { formatTaxId, parseTaxId } from '~/lib/tax-id';
import { newEmailSchema } from '~/lib/validation';

export const clientEmailSchema = newEmailSchema('Email é obrigatório.');

export type ClientValues = {
  full_name: string;
  email: string;
  tax_id: string;
  phone: string;
  /** A new client receives an invitation instead of a password. */
  invite: boolean;
  /** The client must replace the password at the next sign-in. */
  mustChangePassword: boolean;
  password: string;
  confirmPassword: string;
};

export const blankClient: ClientValues = {
  full_name: '',
  email: '',
  tax_id: '',
  phone: '',
  invite: false,
  mustChangePassword: false,
  password: '',
  confirmPassword: '',
};

/** The values with which the form shows a client. */
export function toClientValues({ fullName, email, taxId, phone }: Client): ClientValues {
  return {
    ...blankClient,
    full_name: fullName ?? '',
    email,
    tax_id: taxId === null ? '' : formatTaxId(taxId),
    phone: phone === null ? '' : formatPhone(phone),
  };
}

/**
 * Schema of the client form. A new client needs a password or an invitation; an existing client keeps the password if
 * the field is empty. Validation reports all errors at once.
 */
export function clientSchema(mode: 'new' | 'edit', min: number) {
  const shape = {
    full_name: z.string().check(z.trim(), z.minLength(1, 'Nome completo é obrigatório.')),
    // The form for an existing client cannot change the address.
    email: mode === 'new' ? clientEmailSchema : z.string(),
    tax_id: z
      .string()
      .check(z.refine((typed) => typed.trim() === '' || parseTaxId(typed) !== null, 'CPF ou CNPJ inválido.')),
    phone: z
      .string()
      .check(
        z.refine(
          (typed) => typed.trim() === '' || parsePhone(typed) !== null,
          'Telefone inválido. Inclua o DDD.',
        ),
      ),
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
      // The server counts characters, not UTF-16 code units.
      ({ password }) => password === '' || Array.from(normalizePassword(password)).length >= min,
    ),
    rule(
      'confirmPassword',
      'As senhas não coincidem.',
      ({ password, confirmPassword }) => password === confirmPassword,
    ),
  );
}

/** Rule for the password fields. It does not apply to invited clients. */
function rule(field: string, message: string, holds: (values: ClientValues) => boolean) {
  return z.refine<ClientValues>((values) => values.invite || holds(values), {
    path: [field],
    message,
    // Runs the rule even if another field is invalid.
    when: () => true,
  });
}
