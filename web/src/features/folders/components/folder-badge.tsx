// Icon of a folder on a tinted arch.
import { FolderIcon } from './folder-icon';

/** Colors by icon, so that folders can be recognized at a glance. */
const colors: Record<string, string> = {
  'file-text': 'text-file-document',
  receipt: 'text-file-sheet',
  user: 'text-file-image',
  users: 'text-file-image',
  'id-card': 'text-file-image',
  landmark: 'text-warning',
  bell: 'text-danger',
  megaphone: 'text-danger',
  'chart-column': 'text-file-document',
  'badge-check': 'text-success',
};

/** An empty folder is grey. */
export function FolderBadge({ icon, isEmpty }: { icon: string | null; isEmpty: boolean }) {
  const color = isEmpty ? 'text-muted-foreground' : (colors[icon ?? ''] ?? 'text-primary');
  return (
    <span
      className={`flex size-12 items-center justify-center rounded-t-full rounded-b bg-current/10 ${color}`}
    >
      <FolderIcon name={icon} />
    </span>
  );
}
