// Recovery codes, shown once.
import { useCopyToClipboard } from '~/hooks/use-copy-to-clipboard';
import { serverConfig } from '~/lib/api/server-config';
import { downloadBlob } from '~/lib/files/download-blob';
import { Alert } from '~/ui/alert';
import { Button } from '~/ui/button';

type RecoveryCodesProps = { codes: readonly string[]; onDone: () => void };

/** Shows new recovery codes with actions to copy, save and print them. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const copy = useCopyToClipboard('Códigos copiados');
  const written = codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'));
  const text = `Códigos de recuperação · ${serverConfig().product_name}\n\n${written.join('\n')}\n`;
  return (
    <div className="flex flex-col gap-5 p-5">
      <p className="max-w-prose">
        Se você perder o celular, um destes códigos entra no lugar do código do aplicativo. Cada um serve uma
        única vez.
      </p>
      <Alert variant="info" className="print:hidden">
        Guarde-os agora, longe do celular: eles não serão mostrados de novo.
      </Alert>
      <ul aria-label="Códigos de recuperação" className="grid gap-2 font-mono tabular-nums sm:grid-cols-2">
        {written.map((code) => (
          <li key={code} className="bg-muted rounded px-3 py-2 text-center tracking-wide">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button variant="secondary" onClick={() => copy.mutate(written.join('\n'))}>
          Copiar
        </Button>
        <Button
          variant="secondary"
          onClick={() => downloadBlob(new Blob([text], { type: 'text/plain' }), 'codigos-de-recuperacao.txt')}
        >
          Baixar
        </Button>
        <Button variant="secondary" onClick={() => window.print()}>
          Imprimir
        </Button>
        <Button className="sm:ml-auto" onClick={onDone}>
          Já guardei os códigos
        </Button>
      </div>
    </div>
  );
}
