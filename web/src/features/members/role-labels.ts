// Labels of the roles of people.
import type { MemberRole } from './client-choice';

export const roleLabels: Record<MemberRole, string> = { owner: 'Responsável', member: 'Colaborador' };

export const roleHints: Record<MemberRole, string> = {
  owner: 'Vê tudo do cliente, e também convida e remove pessoas.',
  member: 'Vê os documentos, os tickets e as solicitações, e não convida nem remove pessoas.',
};
