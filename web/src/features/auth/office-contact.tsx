// How to reach the office, for people who cannot sign in.
import type { ReactNode } from 'react';

import { serverConfig } from '~/lib/api/server-config';
import { describeOpeningHours } from '~/lib/opening-hours';
import { formatPhone, parsePhone, whatsAppUrl } from '~/lib/phone';

/** Shows nothing if the office has set no contact. */
export function OfficeContact() {
  const { office } = serverConfig();
  const { phone, whatsapp, email } = office;
  const whatsAppNumber = whatsapp === null ? null : parsePhone(`+${whatsapp}`);
  if (phone === null && whatsAppNumber === null && email === null) return null;
  return (
    <section aria-labelledby="ajuda" className="border-border mt-8 border-t pt-5">
      <h2 id="ajuda" className="text-base">
        Precisa de ajuda?
      </h2>
      <ul className="text-body mt-1">
        {phone !== null && (
          <Contact label="Telefone" href={`tel:${phone.replaceAll(/[^+\d]/g, '')}`}>
            {phone}
          </Contact>
        )}
        {whatsAppNumber !== null && (
          <Contact label="WhatsApp" href={whatsAppUrl(whatsAppNumber, '')} external>
            {formatPhone(whatsAppNumber)}
          </Contact>
        )}
        {email !== null && (
          <Contact label="E-mail" href={`mailto:${email}`}>
            {email}
          </Contact>
        )}
      </ul>
      {describeOpeningHours(office.opening_hours).map((line) => (
        <p key={line} className="text-muted-foreground text-sm tabular-nums">
          {line}
        </p>
      ))}
    </section>
  );
}

type ContactProps = { label: string; href: string; external?: boolean; children: ReactNode };

function Contact({ label, href, external = false, children }: ContactProps) {
  return (
    <li>
      <a
        href={href}
        {...(external && { target: '_blank', rel: 'noreferrer' })}
        className="text-primary inline-flex min-h-11 items-center gap-1.5 rounded font-medium wrap-anywhere underline-offset-4 hover:underline"
      >
        <span className="text-muted-foreground font-normal">{label}:</span>
        {children}
      </a>
    </li>
  );
}
