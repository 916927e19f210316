// An item of a client: what was sent, and what the office does with it.
import { useQuery } from '@tanstack/react-query';
import { BellRing, Check, Repeat, Trash2, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

import { TextLink } from '~/components/text-link';
import { useGuardedClose } from '~/components/use-guarded-close';
import { useRights } from '~/features/auth/rights';
import { downloadFile } from '~/features/documents/api/files';
import {
  clientLabel,
  deleteItem,
  itemQuery,
  type OfficeItem,
  type RefusalResult,
  stopRepeating,
} from '~/features/requests/api/admin-requests';
import { isWaiting, requestKeys } from '~/features/requests/api/requests';
import { DueLabel } from '~/features/requests/components/due-label';
import { ReceivedFileItem } from '~/features/requests/components/received-file-item';
import { StatusBadge } from '~/features/requests/components/status-badge';
import { formatMonth, isMissing, officeStatusLabels } from '~/features/requests/request-labels';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { isPicture } from '~/lib/files/file-name';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';
import { Dialog } from '~/ui/dialog';
import { Skeleton } from '~/ui/skeleton';

import { FilingForm } from './filing-form';
import { RefusalForm } from './refusal-form';
import { RemindItemsDialog } from './remind-items-dialog';

const PictureGallery = lazy(async () => ({
  default: (await import('~/features/documents/viewer/picture-gallery')).PictureGallery,
}));

type ItemDialogProps = {
  /** The item as the list showed it. The dialog follows its changes. */
  item: OfficeItem;
  open: boolean;
  onClose: () => void;
};

export function ItemDialog({ item: listed, open, onClose }: ItemDialogProps) {
  const { mayWrite } = useRights();
  const current = useQuery({ ...itemQuery(listed.id), enabled: open });
  // The cache may hold the item as an earlier dialog showed it.
  const item = (current.isFetchedAfterMount && current.data) || listed;
  const [step, setStep] = useState<'view' | 'accept' | 'refuse'>('view');
  const [seen, setSeen] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const [notice, setNotice] = useState<string>();
  const back = () => setStep('view');
  const finishRefusal = (result: RefusalResult) => {
    if (result === 'refused') return onClose();
    setNotice(notices[result]);
    back();
  };
  const [close, guard] = useGuardedClose({
    open,
    dirty: step === 'refuse' && reason.trim() !== '',
    description: 'O item ainda não foi recusado, e o motivo digitado se perde.',
    onClose,
  });
  const waiting = item.received_files.filter(isWaiting);
  const canRefuse = item.status === 'answered' || item.status === 'nothing';
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && close()}
      title={item.name}
      description={`${clientLabel(item.client)} · ${formatMonth(item.month)}`}
      className="sm:max-w-lg"
      footer={
        mayWrite &&
        step === 'view' &&
        (canRefuse || waiting.length > 0) && (
          <>
            {canRefuse && (
              <Button
                variant="secondary"
                icon={<X size={20} aria-hidden />}
                onClick={() => {
                  setSeen(item.answered_at);
                  setNotice(undefined);
                  setStep('refuse');
                }}
              >
                Recusar
              </Button>
            )}
            {waiting.length > 0 && (
              <Button icon={<Check size={20} aria-hidden />} onClick={() => setStep('accept')}>
                Aceitar e arquivar
              </Button>
            )}
          </>
        )
      }
    >
      {step === 'accept' && (
        <FilingForm
          files={waiting}
          subject={item.name}
          submit="Aceitar e arquivar"
          onCancel={back}
          onDone={onClose}
        />
      )}
      {step === 'refuse' && (
        <RefusalForm
          itemId={item.id}
          seen={seen}
          reason={reason}
          onReason={setReason}
          onCancel={back}
          onDone={finishRefusal}
        />
      )}
      {step === 'view' && notice !== undefined && (
        <Alert variant="danger" className="mb-5">
          {notice}
        </Alert>
      )}
      {step === 'view' && <ItemDetails item={item} onClose={onClose} />}
      {guard}
    </Dialog>
  );
}

const notices: Record<Exclude<RefusalResult, 'refused'>, string> = {
  'new-files': 'O cliente enviou novos arquivos, e o item não foi recusado. Confira os arquivos antes.',
  changed: 'A situação do item mudou, e ele não foi recusado.',
};

function ItemDetails({ item, onClose }: { item: OfficeItem; onClose: () => void }) {
  const { mayWrite } = useRights();
  const pictures = item.received_files.flatMap(({ id, name, file_url }) =>
    file_url !== null && isPicture(name) ? [{ id, name, file_url }] : [],
  );
  return (
    <div className="flex flex-col gap-5">
      <div className="-m-5">
        <DescriptionList>
          <DescriptionItem term="Situação">
            <StatusBadge status={officeStatusLabels[item.status]} />
          </DescriptionItem>
          {item.client && (
            <DescriptionItem term="Cliente">
              <TextLink to={paths.adminClient(item.client.id)} className="wrap-anywhere">
                {item.client.fullName ?? item.client.email}
              </TextLink>
            </DescriptionItem>
          )}
          {item.due_on !== null && (
            <DescriptionItem term="Prazo">
              <DueLabel day={item.due_on} />
            </DescriptionItem>
          )}
          {item.hint !== null && <DescriptionItem term="Orientação">{item.hint}</DescriptionItem>}
          {item.answered_at !== null && (
            <DescriptionItem term="Respondido em">{formatDateTime(item.answered_at)}</DescriptionItem>
          )}
          {item.refusal_reason !== null && (
            <DescriptionItem term="Motivo da recusa">{item.refusal_reason}</DescriptionItem>
          )}
        </DescriptionList>
      </div>
      {pictures.length > 0 && (
        <Suspense fallback={<Skeleton className="h-28" />}>
          <PictureGallery
            bucket="received-files"
            pictures={pictures}
            download={async (id) => {
              const file = pictures.find((one) => one.id === id);
              if (file)
                await downloadFile({ path: file.file_url, name: file.name, bucket: 'received-files' });
            }}
          />
        </Suspense>
      )}
      {item.received_files.length > 0 && (
        <ul aria-label="Arquivos enviados" className="flex flex-col gap-2">
          {item.received_files.map((file) => (
            <ReceivedFileItem
              key={file.id}
              file={file}
              isShown={pictures.some(({ id }) => id === file.id)}
              state={
                file.filed_at !== null ? (
                  <Badge tone="success">Arquivado</Badge>
                ) : (
                  file.refused_at !== null && <Badge tone="danger">Recusado</Badge>
                )
              }
            />
          ))}
        </ul>
      )}
      {mayWrite && <ItemActions item={item} onClose={onClose} />}
    </div>
  );
}

function ItemActions({ item, onClose }: { item: OfficeItem; onClose: () => void }) {
  const [asks, setAsks] = useState<'deletion' | 'reminder' | null>(null);
  const close = () => setAsks(null);
  const stopping = useApiMutation({
    mutationFn: stopRepeating,
    invalidates: [requestKeys.all],
    successToast: { title: 'O item não se repete mais' },
    errorToast: { title: 'Erro ao alterar o item' },
    onSuccessIfMounted: onClose,
  });
  const removal = useApiMutation({
    mutationFn: deleteItem,
    invalidates: [requestKeys.all],
    successToast: { title: 'Solicitação excluída' },
    errorToast: { title: 'Erro ao excluir' },
    onSuccessIfMounted: onClose,
  });
  return (
    <div className="-mx-4 -my-2 flex flex-wrap">
      {isMissing(item) && (
        <>
          <Button
            variant="quiet"
            icon={<BellRing size={18} aria-hidden />}
            onClick={() => setAsks('reminder')}
          >
            Lembrar
          </Button>
          <RemindItemsDialog open={asks === 'reminder'} ids={[item.id]} onClose={close} />
        </>
      )}
      {item.repeats_monthly && (
        <Button
          variant="quiet"
          icon={<Repeat size={18} aria-hidden />}
          pending={stopping.isPending}
          onClick={() => stopping.mutate(item.id)}
        >
          Não repetir todo mês
        </Button>
      )}
      <Button
        variant="quiet-danger"
        icon={<Trash2 size={18} aria-hidden />}
        onClick={() => setAsks('deletion')}
      >
        Excluir solicitação
      </Button>
      <ConfirmDialog
        open={asks === 'deletion'}
        onOpenChange={(wanted) => !wanted && close()}
        title="Confirmar Exclusão"
        description={`O pedido e os arquivos que ainda não foram arquivados são excluídos. Documentos arquivados ficam.${item.repeats_monthly ? ' O item se repete todo mês: os próximos meses também não serão pedidos.' : ''}`}
        confirm="Excluir"
        danger
        pending={removal.isPending}
        onConfirm={() => removal.mutate(item.id)}
      />
    </div>
  );
}
