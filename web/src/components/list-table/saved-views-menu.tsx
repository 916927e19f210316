// Menu of the saved views of a list, and the dialog that saves, renames and deletes them.
import { Bookmark, Check, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link, useSearchParams } from 'react-router';

import { Button, buttonClasses } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Field } from '~/ui/field';
import { IconButton } from '~/ui/icon-button';
import { Input } from '~/ui/input';
import { MenuItem, MenuLinkItem, MenuPopup, MenuRoot, MenuSection, MenuTrigger } from '~/ui/menu';

import { canonicalSearch, MAX_VIEW_NAME, MAX_VIEWS, type SavedView, useSavedViews } from './saved-views';

/** `list` is the list's name. */
export function SavedViewsMenu({ list }: { list: string }) {
  const saved = useSavedViews(list);
  const views = saved.views.data ?? [];
  const [params] = useSearchParams();
  const current = canonicalSearch(params);
  const [isOrganizing, setIsOrganizing] = useState(false);
  return (
    <>
      <MenuRoot>
        <MenuTrigger className={buttonClasses('secondary')}>
          <Bookmark size={20} aria-hidden />
          Visões
        </MenuTrigger>
        <MenuPopup>
          <MenuSection title="Visões salvas">
            {views.length === 0 && (
              <p className="text-muted-foreground px-3 py-2 text-sm">
                {saved.views.isPending ? 'Carregando…' : 'Nenhuma ainda.'}
              </p>
            )}
            {views.map(({ id, name, search }) => (
              <MenuLinkItem
                key={id}
                icon={<Mark isShown={search === current} />}
                render={<Link to={{ search }} aria-current={search === current || undefined} />}
              >
                <span className="max-w-72 truncate">{name}</span>
              </MenuLinkItem>
            ))}
          </MenuSection>
          <div className="border-border mt-1 border-t pt-1">
            <MenuItem icon={<span className="size-4.5" />} onClick={() => setIsOrganizing(true)}>
              Salvar ou organizar…
            </MenuItem>
          </div>
        </MenuPopup>
      </MenuRoot>
      <Dialog
        open={isOrganizing}
        onOpenChange={setIsOrganizing}
        title="Visões salvas"
        description="Uma visão guarda os filtros e a ordem da lista, para você, em todos os seus computadores."
      >
        <div className="flex flex-col gap-6">
          <SaveForm
            // Another list of views resets the form after a save.
            key={views.length}
            canSave={current !== ''}
            isFull={views.length >= MAX_VIEWS}
            pending={saved.save.isPending}
            onSave={(name) => saved.save.mutate({ name, search: current })}
          />
          {views.length > 0 && (
            <ul aria-label="Visões" className="border-border flex flex-col gap-2 border-t pt-5">
              {views.map((view) => (
                <ViewItem
                  key={view.id}
                  view={view}
                  onRename={(name) => saved.rename.mutate({ id: view.id, name })}
                  onRemove={() => saved.remove.mutate(view.id)}
                />
              ))}
            </ul>
          )}
        </div>
      </Dialog>
    </>
  );
}

function Mark({ isShown }: { isShown: boolean }) {
  return (
    <span className="flex size-4.5 shrink-0 items-center justify-center">
      {isShown && <Check size={18} aria-hidden className="text-primary" />}
    </span>
  );
}

type SaveFormProps = {
  canSave: boolean;
  isFull: boolean;
  pending: boolean;
  onSave: (name: string) => void;
};

function SaveForm({ canSave, isFull, pending, onSave }: SaveFormProps) {
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') setError('Dê um nome à visão.');
    else if (!pending) onSave(name.trim());
  };
  if (isFull) {
    return <p className="text-body">Esta lista já tem {MAX_VIEWS} visões. Exclua uma para salvar outra.</p>;
  }
  if (!canSave) {
    return <p className="text-body">Para salvar uma visão, escolha antes os filtros ou a ordem da lista.</p>;
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Nome da visão" error={error} required>
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={MAX_VIEW_NAME}
            autoComplete="off"
            placeholder="Ex.: Atrasados sem responsável"
            onChange={({ target }) => {
              setName(target.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
      <Button type="submit" pending={pending}>
        Salvar a visão atual
      </Button>
    </form>
  );
}

type ViewItemProps = { view: SavedView; onRename: (name: string) => void; onRemove: () => void };

/** An empty name returns to the former one. */
function ViewItem({ view, onRename, onRemove }: ViewItemProps) {
  const [name, setName] = useState(view.name);
  const rename = () => {
    const trimmed = name.trim();
    setName(trimmed === '' ? view.name : trimmed);
    if (trimmed !== '' && trimmed !== view.name) onRename(trimmed);
  };
  return (
    <li className="flex items-center gap-1">
      <Input
        aria-label={`Nome de ${view.name}`}
        value={name}
        maxLength={MAX_VIEW_NAME}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
        onBlur={rename}
        onKeyDown={({ key }) => key === 'Enter' && rename()}
      />
      <IconButton
        label={`Excluir a visão ${view.name}`}
        icon={<Trash2 size={20} aria-hidden />}
        onClick={onRemove}
      />
    </li>
  );
}
