// Field that asks the client to acknowledge or to approve a document.
import type { ComponentProps } from 'react';

import { SelectField } from '~/components/more-form-fields';
import type { ApprovalRequest } from '~/features/documents/api/approvals';

export const requestLabels: Record<ApprovalRequest, string> = { acknowledge: 'Ciente', approve: 'Aprovação' };

const OPTIONS = Object.entries(requestLabels).map(([value, label]) => ({ value, label }));

export function ApprovalField(field: Omit<ComponentProps<typeof SelectField>, 'label' | 'options'>) {
  return <SelectField {...field} label="Resposta pedida" placeholder="Nenhuma" options={OPTIONS} />;
}

/** The request of a field's value; null for none. */
export function parseApprovalRequest(value: string): ApprovalRequest | null {
  return value === 'acknowledge' || value === 'approve' ? value : null;
}
