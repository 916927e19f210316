// Switch between the clients for whom the person acts. Shows nothing to a person with one client, the own account.
import { useQuery } from '@tanstack/react-query';
import { Building2, ChevronsUpDown } from 'lucide-react';
import { useEffect, useRef } from 'react';

import { switchChannel, switchClient } from '~/features/members/api';
import { clientChoiceQuery } from '~/features/members/client-choice';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { paths } from '~/paths';
import { MenuPopup, MenuRadioGroup, MenuRadioItem, MenuRoot, MenuTrigger } from '~/ui/menu';

export function ClientSwitcher({ ownId }: { ownId: string }) {
  const clients = useQuery({
    ...clientChoiceQuery(),
    // The page may have read the choice before this tab could learn of a switch in another one.
    refetchOnMount: 'always',
    // A tab that the browser had suspended may have missed a switch.
    refetchOnWindowFocus: ({ state }) => (state.data?.length ?? 0) > 1 && 'always',
  });
  const switching = useApiMutation({
    mutationFn: switchClient,
    errorToast: { title: 'Erro ao trocar de cliente' },
  });
  const choices = clients.data ?? [];
  const active = choices.find(({ is_active: isActive }) => isActive);
  useReloadAfterSwitch(active?.id);
  if (!active || (choices.length === 1 && active.id === ownId)) return null;
  if (choices.length === 1) {
    return (
      <p className="text-muted-foreground flex min-w-0 items-center gap-2 px-2 text-sm max-sm:hidden">
        <Building2 size={18} aria-hidden className="shrink-0" />
        <span className="max-w-56 truncate">{active.name}</span>
      </p>
    );
  }
  return (
    <MenuRoot>
      <MenuTrigger
        aria-label={`Cliente: ${active.name}. Trocar`}
        // On a phone the header then shows the client's name in place of the product's.
        data-client-switcher
        className="border-border hover:bg-muted data-popup-open:bg-muted flex min-h-11 min-w-11 items-center gap-2 rounded border px-2.5 text-sm font-medium"
      >
        <Building2 size={18} aria-hidden className="text-muted-foreground shrink-0" />
        <span className="max-w-28 min-w-0 truncate sm:max-w-56">{active.name}</span>
        <ChevronsUpDown size={16} aria-hidden className="text-muted-foreground shrink-0" />
      </MenuTrigger>
      <MenuPopup>
        <MenuRadioGroup
          value={active.id}
          onValueChange={(id: string) => id !== active.id && switching.mutate({ id, to: paths.home() })}
        >
          {choices.map(({ id, name }) => (
            <MenuRadioItem key={id} value={id}>
              <span className="line-clamp-3 max-w-72 wrap-anywhere" title={name}>
                {name}
              </span>
            </MenuRadioItem>
          ))}
        </MenuRadioGroup>
      </MenuPopup>
    </MenuRoot>
  );
}

/** Loads the app again when another tab of the session switched to another client than `activeId`. */
function useReloadAfterSwitch(activeId: string | undefined) {
  const shownId = useRef<string>(undefined);
  useEffect(() => {
    const channel = switchChannel();
    channel.addEventListener('message', reload);
    return () => channel.removeEventListener('message', reload);
  }, []);
  useEffect(() => {
    if (activeId === undefined) return;
    shownId.current ??= activeId;
    if (activeId !== shownId.current) reload();
  }, [activeId]);
}

function reload(): void {
  location.assign(paths.home());
}
