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

/** The icon that a folder carries by name; a plain folder for a name that is none of ours. */
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
