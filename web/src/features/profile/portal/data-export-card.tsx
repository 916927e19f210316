// Profile card of the data export.
import { Download } from 'lucide-react';
import { useState } from 'react';

import { downloadMyData, type DownloadProgress } from '~/features/profile/api/data-export';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatSize } from '~/lib/format';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ProgressBar } from '~/ui/progress-bar';

export function DataExportCard() {
  const [received, setReceived] = useState<DownloadProgress | null>(null);
  const download = useApiMutation({
    mutationFn: () => downloadMyData(setReceived),
    successToast: { title: 'Seus dados foram baixados' },
    errorToast: {
      title: 'Erro ao baixar seus dados',
      fallback: 'O envio foi interrompido antes do fim. Tente novamente.',
    },
    onSettled: () => setReceived(null),
  });
  return (
    <Panel title="Meus dados">
      <div className="flex flex-col items-start gap-4 p-5">
        <p className="text-muted-foreground">
          Baixe um arquivo ZIP com tudo o que é seu no portal: cadastro, documentos com os arquivos, tickets
          com mensagens, anexos e histórico, registros de leitura, e-mails recebidos e o registro do que foi
          feito.
        </p>
        {received && (
          <ProgressBar
            label={`Recebidos ${formatSize(received.bytes)}`}
            value={received.progress}
            className="w-full"
          />
        )}
        <Button
          variant="secondary"
          icon={<Download size={20} aria-hidden />}
          pending={download.isPending}
          onClick={() => download.mutate()}
        >
          Baixar meus dados
        </Button>
      </div>
    </Panel>
  );
}
