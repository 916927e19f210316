// Field of the department of a member of the staff.
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';

import { staffQuery } from '~/features/staff/api';
import { suggestedDepartments } from '~/features/staff/departments';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';

type DepartmentFieldProps = { value: string; disabled?: boolean; onChange: (department: string) => void };

export function DepartmentField({ value, disabled, onChange }: DepartmentFieldProps) {
  const listId = useId();
  const { data: staff = [] } = useQuery(staffQuery());
  return (
    <Field
      label="Departamento"
      hint="Aparece ao lado do nome e filtra os tickets e os documentos não abertos."
    >
      {(control) => (
        <>
          <Input
            {...control}
            value={value}
            disabled={disabled}
            list={listId}
            maxLength={60}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
          />
          <datalist id={listId}>
            {suggestedDepartments(staff).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
