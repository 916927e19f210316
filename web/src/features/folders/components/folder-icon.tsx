// Folder icons.
import { Bell, Briefcase, ChartColumn, FileText, Folder, IdCard, Receipt, User } from 'lucide-react';

const icons: Record<string, typeof Folder> = {
  'file-text': FileText,
  receipt: Receipt,
  user: User,
  folder: Folder,
  'chart-column': ChartColumn,
  bell: Bell,
  briefcase: Briefcase,
  'id-card': IdCard,
};

/** Labels of the selectable icons. */
export const folderIconLabels: Record<string, string> = {
  folder: 'Pasta',
  'file-text': 'Documento',
  receipt: 'Recibo',
  user: 'Pessoa',
  'chart-column': 'Gráfico',
  bell: 'Sino',
  briefcase: 'Maleta',
  'id-card': 'Crachá',
};

/** Icon of a folder by name. Unknown names show the default folder icon. */
export function FolderIcon({
  name,
  size = 24,
  className,
}: {
  name: string | null;
  size?: number;
  className?: string;
}) {
  const Icon = icons[name ?? ''] ?? Folder;
  return <Icon size={size} aria-hidden className={className ?? ''} />;
}
