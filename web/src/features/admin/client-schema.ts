import * as z from 'zod/mini';

const ADDRESS_OR_BLANK = /^([^\s@]+@[^\s@]+\.[^\s@]+)?$/;

export type ClientValues = {
  full_name: string;
  email: string;
  password: string;
  confirmPassword: string;
};

/**
 * The fields of the client form. A new client needs a password; an old one keeps theirs when none is typed.
 * Everything that is wrong is said at once, so no rule stops the others.
 */
export function clientSchema(mode: 'new' | 'edit', min: number) {
  const shape = {
    full_name: z.string().check(z.trim(), z.minLength(1, 'Nome completo é obrigatório.')),
    email: z
      .string()
      .check(z.trim(), z.minLength(1, 'Email é obrigatório.'), z.regex(ADDRESS_OR_BLANK, 'Email inválido.')),
    password: z.string().check(
      z.refine((password) => mode === 'edit' || password !== '', 'Senha é obrigatória.'),
      z.refine(
        (password) => password === '' || password.length >= min,
        `Senha deve ter no mínimo ${min} caracteres.`,
      ),
    ),
    confirmPassword: z.string(),
  };
  return z.object(shape).check(
    z.refine(({ password, confirmPassword }) => password === confirmPassword, {
      path: ['confirmPassword'],
      message: 'As senhas não coincidem.',
    }),
  );
}
