// The settings that the operator makes on the server, read-only, with their names.
import { useQuery } from '@tanstack/react-query';

import { TextLink } from '~/components/text-link';
import { smtpStatusQuery } from '~/features/email/api/log';
import { serverConfig } from '~/lib/api/server-config';
import { formatSize } from '~/lib/format';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';

const yesOrNo = (value: boolean) => (value ? 'Sim' : 'Não');

export function ServerSettingsPanel() {
  const smtp = useQuery(smtpStatusQuery());
  const config = serverConfig();
  const pendingText = smtp.isError ? 'Não foi possível consultar' : '…';
  const settings = [
    ['mail_from', 'Remetente dos e-mails', smtp.data ? (smtp.data.sender ?? 'Não configurado') : pendingText],
    ['smtp_url', 'Servidor de e-mail', smtp.data ? (smtp.data.server ?? 'Não configurado') : pendingText],
    ['time_zone', 'Fuso horário', config.time_zone],
    ['max_upload', 'Tamanho máximo de um arquivo', formatSize(config.max_upload_bytes)],
    ['password_min', 'Tamanho mínimo de uma senha', `${config.password_min} caracteres`],
    ['require_second_step', 'Duas etapas obrigatórias na administração', yesOrNo(config.require_second_step)],
    ['signup', 'Cadastro aberto a visitantes', yesOrNo(config.signup)],
  ] as const;
  return (
    <Panel title="Definido no servidor">
      <p className="text-muted-foreground px-5 pt-4 text-sm">
        Estas opções ficam no arquivo de configurações (portaria.toml ou /etc/portaria.env), ou em variáveis
        PORTARIA_…, e só quem opera o servidor as muda. O{' '}
        <TextLink to={paths.adminSystem()} className="underline">
          estado do sistema
        </TextLink>{' '}
        diz se o servidor, o banco, os e-mails e os backups estão bem.
      </p>
      <dl className="divide-border divide-y px-5 py-2">
        {settings.map(([name, label, value]) => (
          <div key={name} className="grid gap-x-4 py-3 sm:grid-cols-2">
            <dt>
              {label}
              <code className="text-muted-foreground text-caption block">{name}</code>
            </dt>
            <dd className="font-medium wrap-anywhere tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
