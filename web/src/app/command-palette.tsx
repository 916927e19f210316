// Command palette of the back office: pages, actions, clients, documents and tickets.
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import {
  CircleHelp,
  CornerDownLeft,
  FileText,
  Inbox,
  Keyboard,
  LayoutTemplate,
  type LucideIcon,
  MessageSquareText,
  Search,
  Upload,
  UserPlus,
  Users,
} from 'lucide-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { Link } from 'react-router';
import guide from 'virtual:guide/staff';

import { mayOpen, useRights } from '~/features/auth/rights';
import { keepMatching, MIN_LENGTH, type SearchHit, searchQuery } from '~/features/search/api';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { isModShortcut } from '~/hooks/use-key-shortcuts';
import { pluralize } from '~/lib/format';
import { matchesSearch } from '~/lib/text-search';
import { paths } from '~/paths';
import { backdrop, ignoreSecondClick } from '~/ui/dialog';

export type PalettePage = { to: string; label: string; icon: ReactNode };

/** An item without an address has an action. */
type Item = { label: string; hint?: string; icon: ReactNode } & ({ to: string } | { act: () => void });
type Group = { title: string; items: Item[] };

type CommandPaletteProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The search with which it opens. */
  initialText: string;
  pages: readonly PalettePage[];
  onShowShortcuts: () => void;
};

const DEBOUNCE_MS = 120;

const actions: (Item & { to: string })[] = [
  { to: paths.adminClientNew(), label: 'Novo Cliente', icon: icon(UserPlus) },
  { to: paths.adminDocumentUpload(), label: 'Novo Documento', icon: icon(Upload) },
  { to: paths.adminInbox(), label: 'Caixa de entrada', icon: icon(Inbox) },
  { to: paths.adminEmailTemplateNew(), label: 'Novo Template', icon: icon(LayoutTemplate) },
];

const guidePages: Item[] = guide.flatMap(({ pages }) =>
  pages.map(({ slug, title }) => ({
    to: paths.adminGuidePage(slug),
    label: title,
    icon: icon(CircleHelp),
  })),
);

export function CommandPalette({
  open,
  onOpenChange,
  initialText,
  pages,
  onShowShortcuts,
}: CommandPaletteProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog.Root open={open} onOpenChange={ignoreSecondClick(onOpenChange)}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdrop} />
        <Dialog.Popup
          aria-label="Buscar no portal"
          // The dialog itself would wait for the next frame, in which a typed letter would reach the page.
          initialFocus={() => {
            input.current?.focus({ preventScroll: true });
            return input.current;
          }}
          onKeyDown={(event) => {
            // Elsewhere the same keys open it.
            if (!isModShortcut(event, 'k')) return;
            event.preventDefault();
            onOpenChange(false);
          }}
          className="bg-card border-border shadow-popover fixed inset-x-3 top-3 z-50 mx-auto flex max-h-[min(34rem,calc(100dvh-1.5rem))] max-w-xl flex-col overflow-hidden rounded-xl border transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0 sm:top-[12dvh]"
        >
          <Commands
            input={input}
            initialText={initialText}
            pages={pages}
            onChoose={() => onOpenChange(false)}
            onShowShortcuts={onShowShortcuts}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type CommandsProps = Pick<CommandPaletteProps, 'initialText' | 'pages' | 'onShowShortcuts'> & {
  input: RefObject<HTMLInputElement | null>;
  onChoose: () => void;
};

function Commands({ input, initialText, pages, onChoose, onShowShortcuts }: CommandsProps) {
  const rights = useRights();
  const [text, setText] = useState(initialText);
  const term = text.trim();
  const debounced = useDebouncedValue(term, DEBOUNCE_MS);
  const search = useQuery(searchQuery(debounced));
  // While a search runs, only earlier hits that match the new text are shown, so that Enter opens no other one.
  const isCurrent = debounced === term && !search.isPlaceholderData;
  const found = isCurrent ? search.data : search.data && keepMatching(search.data, term);
  const hits = term.length < MIN_LENGTH ? undefined : found;
  const named = (items: readonly Item[]) => items.filter(({ label }) => matchesSearch(label, term));
  const shortcuts = { label: 'Atalhos de teclado', icon: icon(Keyboard), act: onShowShortcuts };
  const groups: Group[] = [
    { title: 'Clientes', items: toItems(hits?.clients, paths.adminClient, Users) },
    { title: 'Documentos', items: toItems(hits?.documents, paths.adminDocument, FileText) },
    { title: 'Tickets', items: toItems(hits?.tickets, paths.adminTicket, MessageSquareText) },
    { title: 'Ações', items: named([...actions.filter(({ to }) => mayOpen(rights, to)), shortcuts]) },
    { title: 'Páginas', items: named(pages) },
    { title: 'Ajuda', items: term === '' ? [] : named(guidePages) },
  ].filter(({ items }) => items.length > 0);
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  const isSearching = term.length >= MIN_LENGTH && (debounced !== term || search.isFetching);
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      autoHighlight="always"
      keepHighlight
      items={groups}
      value={text}
      onValueChange={setText}
      itemToStringValue={({ label }: Item) => label}
    >
      <div className="border-border flex items-center gap-3 border-b px-4">
        <Search size={20} aria-hidden className="text-muted-foreground" />
        <Autocomplete.Input
          ref={input}
          aria-label="Buscar clientes, documentos, tickets e páginas"
          placeholder="Buscar clientes, documentos, tickets, páginas…"
          maxLength={100}
          className="placeholder:text-muted-foreground h-14 w-full min-w-0 bg-transparent text-base outline-none"
        />
        <Dialog.Close className="border-border text-muted-foreground hover:bg-muted hover:text-foreground touch-target text-caption -mr-2 rounded px-2 font-medium">
          Esc<span className="sr-only">: fechar a busca</span>
        </Dialog.Close>
      </div>
      <Autocomplete.List className="min-h-0 flex-1 scroll-py-2 overflow-y-auto overscroll-contain p-2 empty:hidden">
        {(group: Group) => (
          <Autocomplete.Group key={group.title} items={group.items}>
            <Autocomplete.GroupLabel className="text-muted-foreground text-caption px-3 pt-2 pb-1 font-medium">
              {group.title}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: Item) => (
                <Autocomplete.Item
                  key={'to' in item ? item.to : item.label}
                  value={item}
                  {...('to' in item && { render: <Link to={item.to} /> })}
                  onClick={() => {
                    onChoose();
                    if ('act' in item) item.act();
                  }}
                  className="group data-highlighted:bg-primary-subtle flex min-h-11 scroll-my-2 items-center gap-3 rounded-md px-3 py-1.5 outline-none"
                >
                  <span className="text-muted-foreground">{item.icon}</span>
                  <span className="flex min-w-0 flex-1 flex-col sm:flex-row sm:items-center sm:justify-between sm:gap-3">
                    <span className="line-clamp-2 min-w-0 wrap-anywhere" title={item.label}>
                      {item.label}
                    </span>
                    <span className="text-muted-foreground truncate text-sm sm:max-w-[45%] sm:shrink-0">
                      {item.hint}
                    </span>
                  </span>
                  <CornerDownLeft
                    size={16}
                    aria-hidden
                    className="text-muted-foreground invisible group-data-highlighted:visible"
                  />
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      <p
        role="status"
        className="border-border text-muted-foreground border-t px-4 py-2.5 text-sm first:border-t-0"
      >
        {statusText({ isSearching, isError: search.isError, count })}
      </p>
    </Autocomplete.Root>
  );
}

type Status = { isSearching: boolean; isError: boolean; count: number };

function statusText({ isSearching, isError, count }: Status): string {
  if (isSearching) return 'Buscando…';
  if (isError) return 'A busca falhou. Mude o texto para tentar novamente.';
  return count === 0 ? 'Nada encontrado.' : pluralize(count, 'resultado', 'resultados');
}

function toItems(
  hits: readonly SearchHit[] | undefined,
  path: (id: string) => string,
  symbol: LucideIcon,
): Item[] {
  return (hits ?? []).map(({ id, name, hint }) => ({ to: path(id), label: name, hint, icon: icon(symbol) }));
}

function icon(Symbol: LucideIcon): ReactNode {
  return <Symbol size={18} aria-hidden />;
}
