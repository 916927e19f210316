// Banner that links to the calendar feed settings.
import { CalendarPlus } from 'lucide-react';

import { ButtonLink } from '~/components/button-link';
import { paths } from '~/paths';
import { Card } from '~/ui/card';

export function SubscribeBanner() {
  return (
    <Card className="mt-6 flex flex-col items-start gap-4 p-5 sm:flex-row sm:items-center sm:justify-between print:hidden">
      <div className="min-w-0">
        <h2 className="text-lg">Vencimentos no seu calendário</h2>
        <p className="text-muted-foreground mt-1">
          Acompanhe as datas no Google Agenda, no Outlook ou no celular.
        </p>
      </div>
      <ButtonLink
        to={paths.calendarLink()}
        variant="secondary"
        icon={<CalendarPlus size={20} aria-hidden />}
        className="shrink-0 max-sm:w-full"
      >
        Assinar calendário
      </ButtonLink>
    </Card>
  );
}
