// Messages for errors that only occur on the pages of requests, of both areas.
import { registerErrorMessages } from './error-messages';

registerErrorMessages({
  file_filed: 'O escritório já arquivou este arquivo.',
  request_state: 'A situação do item mudou. Recarregue a página.',
});
