// Labels of the roles of the staff.
import type { StaffRole } from './api';

export const staffRoleLabels: Record<StaffRole, string> = {
  administrator: 'Administrador',
  employee: 'Funcionário',
  reader: 'Somente leitura',
};

export const staffRoleHints: Record<StaffRole, string> = {
  administrator: 'Vê e muda tudo, também pessoas, pastas, templates e configurações.',
  employee: 'Trabalha com documentos, caixa de entrada, solicitações e tickets.',
  reader: 'Vê documentos, solicitações e tickets, e não muda nada.',
};

export function isStaffRole(text: string): text is StaffRole {
  return text in staffRoleLabels;
}
