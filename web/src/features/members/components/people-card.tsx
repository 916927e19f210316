// Card with the people of a client.
import { useQuery } from '@tanstack/react-query';
import { Ellipsis, FolderLock, MailPlus, Trash2, UserCog, UserPlus } from 'lucide-react';
import { useState } from 'react';

import { OnlineButton } from '~/components/online-button';
import { QueryContent } from '~/components/query-content';
import { describeInvitation } from '~/features/auth/invitation-text';
import {
  changeMemberRole,
  folderNamesQuery,
  inviteMemberAgain,
  isOwnAccount,
  type Member,
  memberKeys,
  peopleQuery,
} from '~/features/members/api';
import { roleLabels } from '~/features/members/role-labels';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Badge } from '~/ui/badge';
import { Panel } from '~/ui/card';
import { cn } from '~/ui/cn';
import { EmailText } from '~/ui/email-text';
import { MenuItem, MenuPopup, MenuRoot, MenuTrigger } from '~/ui/menu';
import { SkeletonList } from '~/ui/skeleton';

import { InviteMemberDialog } from './invite-member-dialog';
import { LimitMemberDialog } from './limit-member-dialog';
import { RemoveMemberDialog } from './remove-member-dialog';

type PeopleCardProps = {
  clientId: string;
  /** Whether the reader is staff, who name the client when they invite. */
  isStaff: boolean;
  /** Whether the reader may invite and remove people. */
  canManage: boolean;
  /** The reader's own account, who may leave. */
  ownId?: string;
  onLeft?: () => void;
};

export function PeopleCard({ clientId, isStaff, canManage, ownId, onLeft }: PeopleCardProps) {
  const people = useQuery(peopleQuery(clientId, isStaff));
  const [inviting, setInviting] = useState(false);
  const [limiting, setLimiting] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  return (
    <Panel title="Pessoas">
      <QueryContent
        query={people}
        loading={<SkeletonList rows={2} className="p-5" rowClassName="h-12" />}
        className="py-8"
      >
        {(members) => (
          <ul className="divide-border divide-y" aria-label="Pessoas">
            {members.map((member) => (
              <MemberItem
                key={member.id}
                member={member}
                isOwn={member.user_id === ownId}
                canManage={canManage}
                onLimit={() => setLimiting(member)}
                onRemove={() => setRemoving(member)}
              />
            ))}
          </ul>
        )}
      </QueryContent>
      {canManage && (
        <div className="border-border border-t p-5">
          <OnlineButton
            variant="secondary"
            icon={<UserPlus size={18} aria-hidden />}
            onClick={() => setInviting(true)}
          >
            Convidar pessoa
          </OnlineButton>
        </div>
      )}
      {inviting && (
        <InviteMemberDialog clientId={isStaff ? clientId : undefined} onClose={() => setInviting(false)} />
      )}
      {limiting && <LimitMemberDialog member={limiting} onClose={() => setLimiting(null)} />}
      <RemoveMemberDialog
        member={removing}
        isOwn={removing !== null && removing.user_id === ownId}
        onClose={() => setRemoving(null)}
        {...(onLeft && { onLeft })}
      />
    </Panel>
  );
}

/** The names of the folders to which a person is limited. A limited reader does not know the names of others. */
function LimitedFolders({ ids }: { ids: string[] }) {
  const folders = useQuery(folderNamesQuery());
  const names = folders.data?.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  if (!names) return null;
  return (
    <p className="text-muted-foreground text-sm wrap-anywhere">
      {ids.length === 0
        ? 'Nenhuma pasta: as que a pessoa via foram excluídas'
        : names.length === 0
          ? 'Só outras pastas'
          : `Só as pastas: ${names.join(', ')}`}
    </p>
  );
}

type MemberItemProps = {
  member: Member;
  isOwn: boolean;
  canManage: boolean;
  onLimit: () => void;
  onRemove: () => void;
};

function MemberItem({ member, isOwn, canManage, onLimit, onRemove }: MemberItemProps) {
  const hasMenu = !isOwnAccount(member) && (canManage || isOwn);
  return (
    <li className={cn('flex items-center gap-3 py-3 pl-5', hasMenu ? 'pr-3' : 'pr-5')}>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span className="min-w-0 wrap-anywhere">{member.name}</span>
          {isOwn && <Badge tone="neutral">Você</Badge>}
        </p>
        <p className="text-muted-foreground text-sm wrap-anywhere">
          <EmailText email={member.email} />
        </p>
        <p className="text-muted-foreground text-sm">
          {isOwnAccount(member) ? 'Conta do cliente' : roleLabels[member.role]}
        </p>
        {!isOwnAccount(member) && member.invited_at && (
          <p className="text-warning text-sm">{describeInvitation(member.invited_at)}</p>
        )}
        {member.folders !== null && <LimitedFolders ids={member.folders} />}
      </div>
      {hasMenu && (
        <MemberMenu
          member={member}
          isOwn={isOwn}
          canManage={canManage}
          onLimit={onLimit}
          onRemove={onRemove}
        />
      )}
    </li>
  );
}

function MemberMenu({ member, isOwn, canManage, onLimit, onRemove }: MemberItemProps) {
  const nextRole = member.role === 'owner' ? 'member' : 'owner';
  const role = useApiMutation({
    mutationFn: changeMemberRole,
    invalidates: [memberKeys.all],
    successToast: { title: 'Papel mudado', description: `${member.name}: ${roleLabels[nextRole]}` },
    errorToast: { title: 'Erro ao mudar papel', fallback: 'O servidor recusou a mudança.' },
  });
  const again = useApiMutation({
    mutationFn: inviteMemberAgain,
    successToast: { title: 'Convite enviado', description: member.email },
    errorToast: { title: 'Erro ao convidar', fallback: 'O servidor recusou o convite.' },
  });
  return (
    <MenuRoot>
      <MenuTrigger
        aria-label={`Ações de ${member.name}`}
        title="Ações"
        className="touch-target text-muted-foreground hover:bg-muted hover:text-foreground data-popup-open:bg-muted inline-flex items-center justify-center rounded"
      >
        <Ellipsis size={20} aria-hidden />
      </MenuTrigger>
      <MenuPopup>
        {canManage && !isOwn && (
          <>
            <MenuItem icon={<MailPlus size={18} aria-hidden />} onClick={() => again.mutate(member)}>
              Enviar convite de novo
            </MenuItem>
            <MenuItem
              icon={<UserCog size={18} aria-hidden />}
              onClick={() => role.mutate({ id: member.id, role: nextRole })}
            >
              Tornar {roleLabels[nextRole].toLowerCase()}
            </MenuItem>
            {member.role === 'member' && (
              <MenuItem icon={<FolderLock size={18} aria-hidden />} onClick={onLimit}>
                Escolher pastas
              </MenuItem>
            )}
          </>
        )}
        <MenuItem icon={<Trash2 size={18} aria-hidden />} danger onClick={onRemove}>
          {isOwn ? 'Deixar este cliente' : 'Remover'}
        </MenuItem>
      </MenuPopup>
    </MenuRoot>
  );
}
