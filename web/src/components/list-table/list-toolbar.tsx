// Search, filters and tools of a list table.
import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useSearchParams } from 'react-router';

import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';

import { SORT_PARAM } from './list-column';
import { SavedViewsMenu } from './saved-views-menu';

type ListToolbarProps = {
  /** The name of the list, to which the saved views belong. */
  name: string;
  /** Whether rows are cards, as on a phone. */
  isCard: boolean;
  search: ReactNode;
  filters: ReactNode;
  /** The choice of the order over cards. */
  sorting: ReactNode;
  selectAll: ReactNode;
  /** Further tools. */
  children: ReactNode;
};

/** Over cards a button unfolds all but the search, so that the first rows are in sight. */
export function ListToolbar({
  name,
  isCard,
  search,
  filters,
  sorting,
  selectAll,
  children,
}: ListToolbarProps) {
  const id = useId();
  const [isUnfolded, setIsUnfolded] = useState(false);
  const [params] = useSearchParams();
  const active = [...params.keys()].filter((key) => key !== SORT_PARAM && key !== SEARCH_PARAM).length;
  const isFolded = isCard && !isUnfolded;
  const hasSearch = search !== undefined;
  return (
    <>
      <div className={cn('mb-3 flex flex-wrap gap-3', !isCard && 'items-center')}>
        {hasSearch && (
          <div className={cn('tight:basis-full max-w-md min-w-0 flex-1', !isCard && 'basis-60')}>
            {search}
          </div>
        )}
        {isCard && (
          <Button
            variant="secondary"
            icon={<SlidersHorizontal size={20} aria-hidden />}
            aria-expanded={isUnfolded}
            aria-controls={id}
            className={cn('px-3!', !hasSearch && 'ml-auto')}
            onClick={() => setIsUnfolded(!isUnfolded)}
          >
            Filtros
            {active > 0 && <span className="text-primary tabular-nums">{active}</span>}
          </Button>
        )}
        {!isCard && selectAll}
        <div
          id={id}
          hidden={isFolded}
          className={cn(
            'flex flex-wrap gap-2 print:hidden',
            isCard ? 'w-full *:flex-auto [&>button]:px-3 [&>button>svg]:hidden' : 'ml-auto',
            isFolded && 'hidden',
          )}
        >
          {sorting}
          <SavedViewsMenu list={name} />
          {children}
          {isCard && selectAll}
        </div>
      </div>
      {filters !== undefined && !isFolded && <div className="mb-4">{filters}</div>}
    </>
  );
}

/** The URL parameter of the search, which is always in sight. */
const SEARCH_PARAM = 'busca';
