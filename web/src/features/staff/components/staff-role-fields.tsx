// Fields of the rights of a member of the staff.
import type { StaffRights } from '~/features/staff/api';
import { isStaffRole, staffRoleHints, staffRoleLabels } from '~/features/staff/staff-roles';
import { Checkbox } from '~/ui/checkbox';
import { Field } from '~/ui/field';
import { Select, toOptions } from '~/ui/select';

type StaffRoleFieldsProps = {
  value: StaffRights;
  onChange: (rights: StaffRights) => void;
  disabled?: boolean;
};

export function StaffRoleFields({ value, onChange, disabled }: StaffRoleFieldsProps) {
  const { role, assignedClientsOnly } = value;
  return (
    <>
      <Field label="Papel" hint={staffRoleHints[role]}>
        {(control) => (
          <Select
            {...control}
            value={role}
            disabled={disabled}
            options={toOptions(staffRoleLabels)}
            onChange={({ target }) => isStaffRole(target.value) && onChange({ ...value, role: target.value })}
          />
        )}
      </Field>
      {role !== 'administrator' && (
        <Checkbox
          label="Só os clientes atribuídos"
          hint="A pessoa não vê nada dos outros clientes. Atribua os clientes aqui ou na página de cada um."
          checked={assignedClientsOnly}
          disabled={disabled}
          onChange={({ target }) => onChange({ ...value, assignedClientsOnly: target.checked })}
        />
      )}
    </>
  );
}
