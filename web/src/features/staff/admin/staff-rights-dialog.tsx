// Dialog that changes the rights of a member of the staff, and the clients whom the person cares for.
import { useState } from 'react';

import { activityKeys } from '~/features/activity/api';
import { changeStaffRights, staffKeys, type StaffMember, type StaffRights } from '~/features/staff/api';
import { AssignedClientsField } from '~/features/staff/components/assigned-clients-field';
import { DepartmentField } from '~/features/staff/components/department-field';
import { StaffRoleFields } from '~/features/staff/components/staff-role-fields';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';

type StaffRightsDialogProps = { member: StaffMember; open: boolean; isOwn: boolean; onClose: () => void };

export function StaffRightsDialog({ member, open, isOwn, onClose }: StaffRightsDialogProps) {
  const { id, role, assignedClientsOnly, department } = member;
  const [rights, setRights] = useState<StaffRights>({ role, assignedClientsOnly, department });
  const isChanged =
    rights.role !== role ||
    rights.department.trim() !== department ||
    (rights.role !== 'administrator' && rights.assignedClientsOnly !== assignedClientsOnly);
  const change = useApiMutation({
    mutationFn: changeStaffRights,
    invalidates: [staffKeys.all, activityKeys.all],
    successToast: { title: 'Papel mudado', description: 'Vale na hora, também para quem está no painel.' },
    errorToast: { title: 'Erro ao mudar papel', fallback: 'O servidor recusou a mudança.' },
    onSuccess: onClose,
  });
  return (
    <Dialog
      open={open}
      onOpenChange={(wanted) => !wanted && onClose()}
      title="Papel e clientes"
      description={member.fullName ?? member.email}
      className="sm:max-w-lg"
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {isChanged ? 'Cancelar' : 'Fechar'}
          </Button>
          {isChanged && (
            <Button pending={change.isPending} onClick={() => change.mutate({ id, ...rights })}>
              Salvar papel
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {isOwn ? (
          <p className="text-muted-foreground text-sm">
            O seu próprio papel só pode ser mudado por outro administrador.
          </p>
        ) : (
          <StaffRoleFields value={rights} onChange={setRights} disabled={change.isPending} />
        )}
        <DepartmentField
          value={rights.department}
          disabled={change.isPending}
          onChange={(name) => setRights({ ...rights, department: name })}
        />
        <AssignedClientsField staffId={id} />
      </div>
    </Dialog>
  );
}
