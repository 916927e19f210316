// Notice about tickets that were written and not sent.
import { Link } from 'react-router';

import { paths } from '~/paths';
import { Alert } from '~/ui/alert';

export function UnsentTickets({ count }: { count: number }) {
  return (
    <Alert variant="info" className="mb-6">
      {count === 1
        ? 'Você tem um ticket que ainda não foi enviado.'
        : `Você tem ${count} tickets que ainda não foram enviados.`}{' '}
      <Link to={paths.ticketNew()} className="font-medium underline">
        {count === 1 ? 'Continuar o ticket' : 'Continuar o mais recente'}
      </Link>
    </Alert>
  );
}
