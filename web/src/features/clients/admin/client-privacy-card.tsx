// Card with the client's privacy rights (LGPD): data export and erasure.
import { Download, Eraser } from 'lucide-react';
import { useState } from 'react';

import type { Client } from '~/features/clients/api/clients';
import { downloadClientData, type DownloadProgress } from '~/features/profile/api/data-export';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import { formatSize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ProgressBar } from '~/ui/progress-bar';

import { EraseClientDialog } from './erase-client-dialog';

export function ClientPrivacyCard({ client, onErased }: { client: Client; onErased: () => void }) {
  const [received, setReceived] = useState<DownloadProgress | null>(null);
  const erasing = useDialogState<Client>();
  const download = useApiMutation({
    mutationFn: () => downloadClientData(client.id, setReceived),
    successToast: { title: 'Os dados do cliente foram baixados' },
    errorToast: {
      title: 'Erro ao baixar os dados do cliente',
      fallback: 'O envio foi interrompido antes do fim. Tente novamente.',
    },
    onSettled: () => setReceived(null),
  });
  return (
    <Panel title="Dados pessoais (LGPD)">
      <div className="flex flex-col gap-2 p-5">
        <p className="text-muted-foreground mb-2 text-sm">
          Para atender o cliente que pede uma cópia dos seus dados, ou que eles sejam apagados.
        </p>
        {received && (
          <ProgressBar label={`Recebidos ${formatSize(received.bytes)}`} value={received.progress} />
        )}
        <Button
          variant="secondary"
          icon={<Download size={18} aria-hidden />}
          pending={download.isPending}
          onClick={() => download.mutate()}
        >
          Baixar dados do cliente
        </Button>
        <Button
          variant="quiet-danger"
          icon={<Eraser size={18} aria-hidden />}
          onClick={() => erasing.show(client)}
        >
          Apagar dados pessoais
        </Button>
      </div>
      {erasing.item && (
        <EraseClientDialog
          key={erasing.key}
          client={erasing.item}
          open={erasing.open}
          onClose={erasing.close}
          onErased={onErased}
        />
      )}
    </Panel>
  );
}
