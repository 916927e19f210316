// Dialog with a new token of the inbox, which is shown once, and the command that sends a file with it.
import { Copy } from 'lucide-react';

import { useCopyToClipboard } from '~/hooks/use-copy-to-clipboard';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

export function NewTokenDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const copyToken = useCopyToClipboard('Chave copiada');
  const copyCommand = useCopyToClipboard('Comando copiado');
  const command = [
    'curl --fail \\',
    `  --header 'Authorization: Bearer ${token}' \\`,
    "  --form 'file=@guia.pdf' \\",
    `  '${location.origin}/storage/v1/object/inbox/guia.pdf'`,
  ].join('\n');
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title="Chave de envio criada"
      className="sm:max-w-xl"
      footer={<Button onClick={onClose}>Já copiei a chave</Button>}
    >
      <div className="flex flex-col gap-5">
        <Alert variant="info">
          Copie a chave agora: ela não será mostrada de novo. Quem a tem põe arquivos na caixa de entrada.
        </Alert>
        <div className="flex flex-col items-start gap-2">
          <Field label="Chave" className="w-full">
            {(control) => (
              <Input
                {...control}
                readOnly
                value={token}
                className="font-mono"
                onFocus={({ target }) => target.select()}
              />
            )}
          </Field>
          <Button
            variant="secondary"
            icon={<Copy size={20} aria-hidden />}
            onClick={() => copyToken.mutate(token)}
          >
            Copiar chave
          </Button>
        </div>
        <div className="flex flex-col items-start gap-2">
          <h3 className="font-medium">Exemplo de envio</h3>
          <p className="text-muted-foreground text-sm">
            Troque guia.pdf pelo arquivo; o nome no fim do endereço é o que aparece na caixa de entrada.
          </p>
          <pre className="bg-muted w-full rounded p-3 text-sm break-all whitespace-pre-wrap">{command}</pre>
          <Button
            variant="secondary"
            icon={<Copy size={20} aria-hidden />}
            onClick={() => copyCommand.mutate(command)}
          >
            Copiar comando
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
