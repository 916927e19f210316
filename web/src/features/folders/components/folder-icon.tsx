// Folder icons.
import {
  BadgeCheck,
  Bell,
  Briefcase,
  ChartColumn,
  FileText,
  Folder,
  IdCard,
  Landmark,
  Megaphone,
  Receipt,
  User,
  Users,
} from 'lucide-react';

const icons: Record<string, typeof Folder> = {
  'file-text': FileText,
  receipt: Receipt,
  user: User,
  folder: Folder,
  'chart-column': ChartColumn,
  bell: Bell,
  briefcase: Briefcase,
  'id-card': IdCard,
  users: Users,
  landmark: Landmark,
  'badge-check': BadgeCheck,
  megaphone: Megaphone,
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
  users: 'Equipe',
  landmark: 'Órgão público',
  'badge-check': 'Selo',
  megaphone: 'Megafone',
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
