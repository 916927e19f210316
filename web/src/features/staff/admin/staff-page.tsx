// Staff page: the accounts with the administrator role.
import { useQuery } from '@tanstack/react-query';
import { Ellipsis, KeyRound, MailPlus, ShieldCheck, ShieldMinus, ShieldPlus, UserCog } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import { InvitationStatus } from '~/features/auth/components/invitation-status';
import { ResetMfaDialog } from '~/features/auth/components/reset-mfa-dialog';
import { useUser } from '~/features/auth/session';
import { HelpLink } from '~/features/help/components/help-link';
import { searchStaffQuery, staffKeys, type StaffMember } from '~/features/staff/api';
import { InviteColleagueDialog } from '~/features/staff/components/invite-colleague-dialog';
import { staffRoleLabels } from '~/features/staff/staff-roles';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { useDialogState } from '~/hooks/use-dialog-state';
import { queryClient } from '~/lib/api/query-client';
import { serverConfig } from '~/lib/api/server-config';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { type Column } from '~/ui/data-table';
import { Dialog } from '~/ui/dialog';
import { EmailText } from '~/ui/email-text';
import { MenuItem, MenuPopup, MenuRoot, MenuTrigger } from '~/ui/menu';
import { SearchInput } from '~/ui/search-input';

import { GrantAdminDialog } from './grant-admin-dialog';
import { RevokeAdminDialog } from './revoke-admin-dialog';
import { StaffRightsDialog } from './staff-rights-dialog';

export function loader() {
  void queryClient.prefetchQuery(searchStaffQuery(''));
  return null;
}

export { StaffPage as Component };

function StaffPage() {
  const { id: own } = useUser();
  const [search, setSearch] = useState('');
  const [granting, setGranting] = useState(false);
  const [inviting, setInviting] = useState(false);
  const staff = useQuery(searchStaffQuery(useDebouncedValue(search)));
  const removal = useDialogState<StaffMember>();
  const reset = useDialogState<StaffMember>();
  const rights = useDialogState<StaffMember>();
  const invitation = useDialogState<StaffMember>();
  const invited = staff.data?.find(({ id }) => id === invitation.item?.id);
  return (
    <>
      <PageHeader
        title="Administradores"
        description={
          <>
            Quem trabalha no painel, e o que cada pessoa pode.{' '}
            <HelpLink to={paths.adminGuidePage('equipe-e-papeis')} />
          </>
        }
        secondary={
          <Button
            variant="secondary"
            icon={<MailPlus size={20} aria-hidden />}
            onClick={() => setInviting(true)}
          >
            Convidar colega
          </Button>
        }
        action={
          <Button icon={<ShieldPlus size={20} aria-hidden />} onClick={() => setGranting(true)}>
            Adicionar Administrador
          </Button>
        }
      />
      <SearchInput
        value={search}
        onChange={setSearch}
        placeholder="Buscar por nome ou email..."
        maxLength={100}
        className="mb-6 max-w-md"
      />
      <QueryTable
        query={staff}
        rows={staff.data}
        caption="Administradores"
        columns={columns({
          own,
          askToRemove: removal.show,
          askToReset: reset.show,
          showInvitation: invitation.show,
          showRights: rights.show,
        })}
        rowKey={({ id }) => id}
        dense
        empty={{
          icon: <ShieldCheck size={26} />,
          title: 'Nenhum administrador encontrado',
          hint: 'Tente ajustar sua busca.',
        }}
        skeletonRows={3}
      />
      {inviting && <InviteColleagueDialog onClose={() => setInviting(false)} />}
      <Dialog
        open={invitation.open && invited !== undefined}
        onOpenChange={(open) => !open && invitation.close()}
        title="Convite"
        description={invited?.fullName ?? invited?.email}
        className="sm:max-w-md"
      >
        {invited && <InvitationStatus person={invited} affectedKeys={[staffKeys.all]} />}
      </Dialog>
      <GrantAdminDialog open={granting} onClose={() => setGranting(false)} />
      {rights.item && (
        <StaffRightsDialog
          key={rights.key}
          member={rights.item}
          open={rights.open}
          isOwn={rights.item.id === own}
          onClose={rights.close}
        />
      )}
      <RevokeAdminDialog member={removal.item} open={removal.open} onClose={removal.close} />
      <ResetMfaDialog person={reset.item} open={reset.open} onClose={reset.close} />
    </>
  );
}

type ColumnsProps = {
  own: string;
  askToRemove: (member: StaffMember) => void;
  askToReset: (member: StaffMember) => void;
  showInvitation: (member: StaffMember) => void;
  showRights: (member: StaffMember) => void;
};

function columns({
  own,
  askToRemove,
  askToReset,
  showInvitation,
  showRights,
}: ColumnsProps): Column<StaffMember>[] {
  return [
    {
      header: 'Nome',
      primary: true,
      className: '@4xl:w-[20%]',
      text: ({ fullName }) => fullName ?? '',
      cell: ({ id, fullName }) => (
        <>
          {fullName ?? 'N/A'}
          {id === own && <span className="text-muted-foreground font-normal"> (você)</span>}
        </>
      ),
    },
    {
      header: 'Email',
      freeText: true,
      className: '@4xl:w-[22%]',
      text: ({ email }) => email,
      cell: ({ email }) => <EmailText email={email} />,
    },
    {
      header: 'Papel',
      className: '@4xl:w-[15%]',
      whole: true,
      cell: ({ role, assignedClientsOnly, department }) => (
        <span>
          {staffRoleLabels[role]}
          {department !== '' && <span className="text-muted-foreground block text-sm">{department}</span>}
          {assignedClientsOnly && (
            <span className="text-muted-foreground block text-sm">Clientes atribuídos</span>
          )}
        </span>
      ),
    },
    {
      header: 'Último acesso',
      className: 'tabular-nums @4xl:w-[14.5%]',
      cell: ({ last_sign_in_at: at, invitedAt }) =>
        invitedAt === null ? (
          formatDateTime(at)
        ) : (
          <span>
            <Badge tone="warning">Convidado</Badge>
          </span>
        ),
    },
    {
      header: 'Duas etapas',
      className: '@4xl:w-[12.5%]',
      cell: ({ second_step: on }) => (
        <span>
          <Badge tone={on ? 'success' : 'neutral'}>{on ? 'Ligada' : 'Desligada'}</Badge>
        </span>
      ),
    },
    {
      header: 'Ações',
      actions: true,
      className: '@4xl:w-[16%]',
      // Administrators cannot revoke their own role, so at least one always remains. Their own MFA settings are on the
      // security page.
      cell: (member) => (
        <span className="-mr-4 inline-flex justify-end @max-4xl:-ml-4">
          <Button
            variant="quiet"
            className="@4xl:px-2! @4xl:text-sm!"
            icon={<UserCog size={18} aria-hidden />}
            aria-label={`Papel e clientes de ${member.fullName ?? member.email}`}
            onClick={() => showRights(member)}
          >
            Papel
          </Button>
          {member.id === own ? (
            // Keeps the buttons of all rows in one column.
            <span className="touch-target" />
          ) : (
            <StaffMenu
              member={member}
              onInvitation={() => showInvitation(member)}
              onReset={() => askToReset(member)}
              onRemove={() => askToRemove(member)}
            />
          )}
        </span>
      ),
    },
  ];
}

type StaffMenuProps = {
  member: StaffMember;
  onInvitation: () => void;
  onReset: () => void;
  onRemove: () => void;
};

function StaffMenu({ member, onInvitation, onReset, onRemove }: StaffMenuProps) {
  return (
    <MenuRoot>
      <MenuTrigger
        aria-label={`Ações de ${member.fullName ?? member.email}`}
        title="Ações"
        className="touch-target text-muted-foreground hover:bg-muted hover:text-foreground data-popup-open:bg-muted inline-flex items-center justify-center rounded"
      >
        <Ellipsis size={20} aria-hidden />
      </MenuTrigger>
      <MenuPopup>
        {member.invitedAt !== null && (
          <MenuItem icon={<MailPlus size={18} aria-hidden />} onClick={onInvitation}>
            Convite
          </MenuItem>
        )}
        {/* The list does not contain passkeys, which a reset removes as well. */}
        {(member.second_step || serverConfig().passkeys) && (
          <MenuItem icon={<KeyRound size={18} aria-hidden />} onClick={onReset}>
            Redefinir verificação em duas etapas
          </MenuItem>
        )}
        <MenuItem icon={<ShieldMinus size={18} aria-hidden />} danger onClick={onRemove}>
          Retirar papel
        </MenuItem>
      </MenuPopup>
    </MenuRoot>
  );
}
