// Header of a page, and the title of the document.
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router';

import { serverConfig } from '~/lib/api/server-config';
import { focusHeading, MAIN_ID } from '~/lib/focus-heading';
import { cn } from '~/ui/cn';

import { StickyAction } from './sticky-action';

type PageHeaderProps = {
  title: string;
  /** The title of the document, if it differs from the heading. */
  documentTitle?: string;
  description?: ReactNode;
  back?: { to: string; label: string };
  /** The primary action: at the top right, or in a bar at the bottom on small screens. */
  action?: ReactNode;
  /** Secondary actions, always at the top. */
  secondary?: ReactNode;
  /** On phones, secondary actions are beside a short title where they fit, and the description is hidden. */
  compact?: boolean;
};

/** The heading of a page, with a back link and actions. It also sets the title of the document. */
export function PageHeader({
  title,
  documentTitle = title,
  description,
  back,
  action,
  secondary,
  compact = false,
}: PageHeaderProps) {
  return (
    <header
      className={cn(
        'flex gap-4 sm:mb-8 sm:flex-row sm:flex-wrap sm:items-end sm:justify-between',
        compact ? 'mb-4 flex-wrap items-center justify-between' : 'mb-6 flex-col',
      )}
    >
      <DocumentTitle title={documentTitle} />
      <div className="min-w-0 sm:grow sm:basis-60">
        {back && (
          <Link
            to={back.to}
            className="text-muted-foreground hover:text-foreground mb-1 -ml-1 inline-flex min-h-11 items-center gap-1.5 rounded px-1 text-sm font-medium print:hidden"
          >
            <ArrowLeft size={18} aria-hidden />
            {back.label}
          </Link>
        )}
        <h1 className="text-2xl wrap-anywhere sm:text-3xl">{title}</h1>
        {description !== undefined && (
          <p className={cn('text-muted-foreground mt-2 max-w-prose', compact && 'max-sm:hidden')}>
            {description}
          </p>
        )}
      </div>
      {(action || secondary) && (
        <div className="flex shrink-0 gap-2 max-sm:contents print:hidden">
          {secondary}
          {action && <StickyAction>{action}</StickyAction>}
        </div>
      )}
    </header>
  );
}

/** Sets the title of the document: 'Documentos · Portaria'. */
export function DocumentTitle({ title }: { title: string }) {
  useEffect(() => {
    document.title = `${title} · ${serverConfig().product_name}`;
    // The heading of a record comes after the navigation, with its data.
    if (document.activeElement?.id === MAIN_ID) focusHeading();
  }, [title]);
  return null;
}
