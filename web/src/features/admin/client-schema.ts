import { z } from 'zod';

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export type ClientValues = {
  full_name: string;
  email: string;
  password: string;
  confirmPassword: string;
};

/** The fields of the client form. A new client needs a password; an old one keeps theirs when none is typed. */
export function clientSchema(mode: 'new' | 'edit', min: number) {
  return z
    .object({
      full_name: z.string().trim().min(1, 'Nome completo é obrigatório.'),
      email: z.string().trim().min(1, 'Email é obrigatório.').regex(ADDRESS, 'Email inválido.'),
      password: z.string(),
      confirmPassword: z.string(),
    })
    .check(({ value: { password, confirmPassword }, issues }) => {
      const complain = (field: 'password' | 'confirmPassword', message: string) =>
        issues.push({ code: 'custom', path: [field], message, input: password });
      if (password === '' && mode === 'new') complain('password', 'Senha é obrigatória.');
      else if (password !== '' && password.length < min)
        complain('password', `Senha deve ter no mínimo ${min} caracteres.`);
      if (password !== confirmPassword) complain('confirmPassword', 'As senhas não coincidem.');
    });
}
