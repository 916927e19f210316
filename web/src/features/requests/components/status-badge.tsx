import type { StatusLabel } from '~/features/requests/request-labels';
import { Badge } from '~/ui/badge';

export function StatusBadge({ status: { label, tone } }: { status: StatusLabel }) {
  return <Badge tone={tone}>{label}</Badge>;
}
