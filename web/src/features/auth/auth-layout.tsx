// Layout of the pages without a session: brand panel and form.
import type { ReactNode } from 'react';

import { OfficeLogo } from '~/components/office-logo';
import { DocumentTitle } from '~/components/page-header';
import { serverConfig } from '~/lib/api/server-config';
import { cn } from '~/ui/cn';

type AuthLayoutProps = {
  title: string;
  description?: ReactNode;
  /** Area of the portal. It selects the color of the side panel. */
  area: 'client' | 'admin';
  children: ReactNode;
};

export function AuthLayout({ title, description, area, children }: AuthLayoutProps) {
  const { product_name, office } = serverConfig();
  const name = area === 'admin' ? 'Admin Portal' : product_name;
  const welcome = office.welcome_text ?? 'Seus documentos, prazos e atendimentos, em um só lugar.';
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
      <DocumentTitle title={title} />
      <aside
        className={cn(
          'relative hidden overflow-hidden p-12 text-white lg:block',
          area === 'admin' ? 'bg-sidebar' : 'bg-brand',
        )}
      >
        <p className="flex items-center gap-3 text-xl font-semibold tracking-tight">
          <OfficeLogo size={32} />
          {name}
        </p>
        <p className="mt-8 max-w-sm text-2xl leading-snug font-medium tracking-tight text-balance wrap-anywhere whitespace-pre-line">
          {area === 'admin' ? 'O trabalho do escritório, em ordem.' : welcome}
        </p>
        <Doorway />
      </aside>
      <main id="conteudo" tabIndex={-1} className="flex flex-col justify-center px-5 py-10 sm:px-10">
        <div className="mx-auto w-full max-w-sm">
          <p className="mb-10 flex items-center gap-2.5 text-lg font-semibold tracking-tight lg:hidden">
            <OfficeLogo className={area === 'admin' ? 'text-foreground' : 'text-primary'} />
            {name}
          </p>
          <h1 className="text-3xl">{title}</h1>
          {description !== undefined && <p className="text-muted-foreground mt-2">{description}</p>}
          <div className="mt-8">{children}</div>
        </div>
      </main>
    </div>
  );
}

/** Decoration of nested arches. */
function Doorway() {
  return (
    <svg
      viewBox="0 0 400 440"
      aria-hidden
      className="pointer-events-none absolute bottom-0 left-1/2 h-[62%] -translate-x-1/2 opacity-30"
      fill="none"
      stroke="currentColor"
    >
      {[0, 1, 2, 3, 4, 5].map((ring) => {
        const radius = 198 - ring * 28;
        return (
          <path key={ring} d={`M${200 - radius} 440V200a${radius} ${radius} 0 0 1 ${radius * 2} 0V440`} />
        );
      })}
      <path d="M164 440V200a36 36 0 0 1 72 0v240Z" fill="currentColor" stroke="none" />
    </svg>
  );
}
