// Departments of the office: labels of members of the staff, by which lists are filtered.

/** Suggestions for an office that has not named its departments. */
const USUAL = ['Contábil', 'Financeiro', 'Fiscal', 'Pessoal', 'Societário'];

type Member = { id: string; department: string };

/** The departments of the staff, in alphabetical order. */
function departmentsOf(staff: readonly Member[]): string[] {
  const names = new Set(staff.map(({ department }) => department).filter((name) => name !== ''));
  return [...names].toSorted((one, other) => one.localeCompare(other, 'pt-BR'));
}

/** The departments to suggest. */
export function suggestedDepartments(staff: readonly Member[]): string[] {
  return [...new Set([...departmentsOf(staff), ...USUAL])];
}

const PREFIX = 'departamento:';

/** The value of a filter that selects the people of a department instead of one person. */
export function departmentValue(department: string): string {
  return `${PREFIX}${department}`;
}

/** The department that the value of a filter selects; null for other values. */
export function departmentOf(value: string | null): string | null {
  return value?.startsWith(PREFIX) && value.length > PREFIX.length ? value.slice(PREFIX.length) : null;
}

/** Options of a filter for the departments of the staff. */
export function departmentOptions(staff: readonly Member[]) {
  return departmentsOf(staff).map((name) => ({
    value: departmentValue(name),
    label: `Departamento ${name}`,
  }));
}
