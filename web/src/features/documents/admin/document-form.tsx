// Form that edits a document.
import { useQuery } from '@tanstack/react-query';

import { EditConflictDialog } from '~/components/edit-conflict-dialog';
import { TextField } from '~/components/form-fields';
import { DateField, SelectField } from '~/components/more-form-fields';
import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import {
  type AdminDocument,
  adminDocumentQuery,
  type DocumentUpdate,
  updateDocument,
} from '~/features/documents/api/admin-document';
import { documentKeys } from '~/features/documents/api/documents';
import { documentStatusLabel, folderKindLabels } from '~/features/documents/document-labels';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { folderKeys } from '~/features/folders/api';
import { FolderField } from '~/features/folders/components/folder-field';
import { staffQuery } from '~/features/staff/api';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useGuardedSave } from '~/hooks/use-guarded-save';
import { REQUIRED_FIELDS_TOAST, useZodForm } from '~/hooks/use-zod-form';
import { queryClient } from '~/lib/api/query-client';
import { formatDate, toDay } from '~/lib/dates';
import { formatAmount } from '~/lib/money';
import { formatPaymentLine } from '~/lib/payment-codes';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import type { Option } from '~/ui/select';

import { ApprovalField, parseApprovalRequest, requestLabels } from './approval-field';
import { documentSchema, type DocumentValues } from './document-schema';
import { NotificationKindField, parseFolderKind } from './notification-kind-field';
import { PaymentFields } from './payment-fields';
import { PAYMENT_FIELDS, toPaymentColumns } from './payment-schema';

const STATUSES = ['active', 'pending', 'inactive'];
const hints: Record<string, string> = {
  active: 'O cliente vê e abre o documento.',
  pending: 'O cliente vê o nome do documento, mas ainda não o abre.',
};
const INACTIVE_HINT = 'O cliente vê o documento como inativo e ainda pode abri-lo.';
const WITHDRAWN_HINT = 'O cliente não vê o documento. O status vale quando ele for publicado de novo.';

/** Document form. `unsent` adds unsaved changes outside the form (a chosen file) to its navigation blocker. */
export function DocumentForm({ document, unsent }: { document: AdminDocument; unsent: boolean }) {
  const form = useZodForm(documentSchema, valuesOf(document), { invalidToast: REQUIRED_FIELDS_TOAST });
  const folders = useQuery(allFoldersQuery());
  const staff = useQuery(staffQuery());
  const guard = useGuardedSave({
    form,
    version: document,
    save: (values, seen, edited) =>
      updateDocument(changesIn(values, edited), {
        seen,
        mine: values,
        written: DOCUMENT_FIELDS.filter((field) => edited[field]),
        toValues: valuesOf,
      }),
  });
  const save = useApiMutation({
    mutationFn: guard.save,
    invalidates: [documentKeys.all, folderKeys.all],
    successToast: (isSaved) => (isSaved ? { title: 'Documento atualizado com sucesso!' } : null),
    errorToast: { title: 'Erro ao salvar documento' },
    onSuccess(isSaved, values) {
      const saved = queryClient.getQueryData(adminDocumentQuery(document.id).queryKey);
      if (isSaved) form.reset(saved ? valuesOf(saved) : values);
    },
  });
  const { isDirty } = form.formState;
  const submit = form.handleSubmit((values) => save.mutate(values));
  const describe = (field: keyof DocumentValues, value: string) => {
    if (field === 'folderId') return folders.data?.find(({ id }) => id === value)?.name ?? value;
    if (field === 'expiresAt') return value === '' ? '' : formatDate(value);
    if (field === 'status') return documentStatusLabel(value);
    if (field === 'responsibleId') {
      return members(staff.data ?? [], document).find((option) => option.value === value)?.label ?? '';
    }
    if (field === 'approvalRequest') {
      const request = parseApprovalRequest(value);
      return request === null ? '' : requestLabels[request];
    }
    if (field !== 'kind') return value;
    const kind = parseFolderKind(value);
    return kind === null ? 'Conforme a pasta' : folderKindLabels[kind];
  };
  const [status, chosenFolder] = form.watch(['status', 'folderId']);
  return (
    <Panel title="Editar">
      <form noValidate className="flex flex-col gap-5 p-5" onSubmit={submit}>
        <fieldset disabled={save.isPending} className="flex min-w-0 flex-col gap-5">
          <TextField
            {...form.bind('documentName')}
            label="Nome do Documento *"
            required
            autoComplete="off"
            maxLength={255}
          />
          <FolderField form={form} name="folderId" disabled={save.isPending} />
          <DateField {...form.bind('expiresAt')} label="Data de Vencimento (Opcional)" />
          <PaymentFields form={form} />
          <NotificationKindField folderId={chosenFolder} {...form.registerField('kind')} />
          <SelectField
            {...form.bind('status')}
            label="Status"
            hint={document.withdrawn_at === null ? (hints[status] ?? INACTIVE_HINT) : WITHDRAWN_HINT}
            options={statusesWith(document.status).map((value) => ({
              value,
              label: documentStatusLabel(value),
            }))}
          />
          <ApprovalField {...form.bind('approvalRequest')} />
          <SelectField
            {...form.bind('responsibleId')}
            label="Responsável"
            placeholder="Ninguém"
            options={members(staff.data ?? [], document)}
          />
          <TextField
            {...form.bind('legalHoldReason')}
            label="Guarda legal (motivo)"
            hint="Com um motivo, o documento não é excluído nem descartado, mesmo que o cliente peça para apagar os seus dados."
            maxLength={255}
            autoComplete="off"
          />
        </fieldset>
        <Button type="submit" pending={save.isPending} className="sm:self-end">
          Salvar Alterações
        </Button>
      </form>
      <EditConflictDialog
        conflict={guard.conflict}
        labels={DOCUMENT_LABELS}
        describe={describe}
        pending={save.isPending}
        onDiscard={guard.discard}
        onOverwrite={() => void submit()}
      />
      <UnsavedChangesGuard
        enabled={isDirty || unsent}
        description="As alterações deste documento ainda não foram salvas."
      />
    </Panel>
  );
}

const DOCUMENT_LABELS = {
  documentName: 'Nome do Documento',
  folderId: 'Pasta',
  expiresAt: 'Data de Vencimento',
  kind: 'Tipo para notificação',
  status: 'Status',
  legalHoldReason: 'Guarda legal (motivo)',
  category: 'Categoria',
  referenceMonth: 'Competência',
  amount: 'Valor (R$)',
  paymentLine: 'Linha digitável',
  pixCode: 'Pix copia e cola',
  responsibleId: 'Responsável',
  approvalRequest: 'Resposta pedida',
};

const DOCUMENT_FIELDS = [
  'documentName',
  'folderId',
  'expiresAt',
  'kind',
  'status',
  'legalHoldReason',
  ...PAYMENT_FIELDS,
  'responsibleId',
  'approvalRequest',
] as const satisfies (keyof DocumentValues)[];

function valuesOf(document: AdminDocument): DocumentValues {
  const { expires_at, amount_cents, payment_line } = document;
  return {
    documentName: document.name,
    folderId: document.folder_id_supabase,
    expiresAt: expires_at === null ? '' : toDay(expires_at),
    kind: document.kind ?? '',
    status: document.status,
    legalHoldReason: document.legal_hold_reason ?? '',
    category: document.category ?? '',
    referenceMonth: document.reference_month ?? '',
    amount: amount_cents === null ? '' : formatAmount(amount_cents),
    paymentLine: payment_line === null ? '' : formatPaymentLine(payment_line),
    pixCode: document.pix_code ?? '',
    responsibleId: document.responsible?.id ?? '',
    approvalRequest: document.approval_request ?? '',
  };
}

/** Changed fields only, so that the update keeps concurrent changes of other fields. */
function changesIn(
  values: DocumentValues,
  dirty: Partial<Record<keyof DocumentValues, boolean>>,
): DocumentUpdate {
  const { documentName, folderId, expiresAt, kind, status, legalHoldReason } = values;
  const payment = toPaymentColumns(values);
  return {
    ...(dirty.documentName && { name: documentName }),
    ...(dirty.folderId && { folder_id_supabase: folderId }),
    ...(dirty.expiresAt && { expires_at: expiresAt === '' ? null : expiresAt }),
    ...(dirty.kind && { kind: parseFolderKind(kind) }),
    ...(dirty.status && { status }),
    ...(dirty.legalHoldReason && { legal_hold_reason: legalHoldReason === '' ? null : legalHoldReason }),
    ...(dirty.category && { category: payment.category }),
    ...(dirty.referenceMonth && { reference_month: payment.reference_month }),
    ...(dirty.amount && { amount_cents: payment.amount_cents }),
    ...(dirty.paymentLine && { payment_line: payment.payment_line }),
    ...(dirty.pixCode && { pix_code: payment.pix_code }),
    ...(dirty.responsibleId && { responsible_id: values.responsibleId || null }),
    ...(dirty.approvalRequest && { approval_request: parseApprovalRequest(values.approvalRequest) }),
  };
}

/** The members of staff. A former one stays as an option of their document. */
function members(staff: readonly { id: string; name: string }[], { responsible }: AdminDocument): Option[] {
  const options = staff.map(({ id, name }) => ({ value: id, label: name }));
  if (responsible === null || options.some(({ value }) => value === responsible.id)) return options;
  return [...options, { value: responsible.id, label: responsible.name ?? 'Fora da equipe' }];
}

/** Status options. An unknown status counts as inactive and stays available for its document. */
function statusesWith(status: string): string[] {
  return STATUSES.includes(status) ? STATUSES : ['active', 'pending', status];
}
