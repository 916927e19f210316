// Messages for errors that only occur in the back office. Its sign-in page and its layout load them.
import { registerErrorMessages } from './error-messages';

registerErrorMessages({
  setup_token_invalid: 'Este link de configuração não vale mais. Reinicie o servidor para receber outro.',
  last_admin: 'Este é o último administrador: promova outra pessoa antes.',
  own_role: 'Você não pode tirar o seu próprio acesso de administrador. Peça a outro administrador.',
  own_account: 'Você não pode excluir a sua própria conta. Peça a outro administrador.',
  QuotaExceeded: 'O espaço para arquivos acabou, no portal ou para este cliente.',
  staff_account: 'Tire primeiro o acesso de administrador desta pessoa.',
  erasure_not_confirmed: 'O e-mail digitado não é o do cliente.',
  answer_too_large: 'A resposta é grande demais. Filtre ou busque menos registros de uma vez.',
  nothing_to_reset: 'Esta pessoa não tem segunda etapa nem chave de acesso: nada foi mudado.',
  '53100': 'O disco do servidor está cheio: nada foi gravado. Avise quem cuida do portal.',
  reminders_off: 'Os lembretes por e-mail estão desligados nas notificações.',
  inbox_published: 'Um dos arquivos já foi publicado, ou a publicação está agendada.',
  inbox_unresolved: 'Um dos arquivos ainda precisa de uma decisão: cliente, pasta, nome ou repetição.',
  too_many_recognition_rules: 'O escritório já tem 100 regras. Exclua uma para criar outra.',
  too_many_saved_views: 'Esta lista já tem 20 visões. Exclua uma para salvar outra.',
  folder_deleted: 'A pasta do documento foi excluída. Escolha outra pasta para restaurar.',
  folder_held:
    'A pasta está sob guarda legal: os documentos dela só mudam para outra pasta sob guarda legal.',
  document_held: 'O documento está sob guarda legal e não pode ser excluído nem substituído.',
});
