// Uploads to the inbox. They go on while staff move between pages, and files can be dropped on every page.
import { Inbox } from 'lucide-react';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';

import { useRights } from '~/features/auth/rights';
import { serverConfig } from '~/lib/api/server-config';
import { paths } from '~/paths';
import { droppedFiles } from '~/ui/dropzone';

import { useInboxUpload } from './use-inbox-upload';

type InboxUpload = ReturnType<typeof useInboxUpload>;

const InboxUploadContext = createContext<InboxUpload | null>(null);

/** The uploads to the inbox. Only pages below the provider call it. */
export function useInboxUploads(): InboxUpload {
  const upload = use(InboxUploadContext);
  if (upload === null) throw new Error('There is no InboxUploadProvider.');
  return upload;
}

export function InboxUploadProvider({ children }: { children: ReactNode }) {
  const { mayWrite } = useRights();
  const upload = useInboxUpload(serverConfig().max_upload_bytes);
  const isUploading = upload.total > 0;
  useEffect(() => {
    if (!isUploading) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isUploading]);
  return (
    <InboxUploadContext value={upload}>
      {children}
      {mayWrite && <DropTarget onFiles={upload.add} />}
    </InboxUploadContext>
  );
}

/** Accepts files that are dropped outside the other drop zones, and opens the inbox. */
function DropTarget({ onFiles }: { onFiles: (files: File[]) => void }) {
  const navigate = useNavigate();
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    // An event that a drop zone handles has its default prevented before it reaches the window.
    const isOurs = (event: DragEvent) =>
      !event.defaultPrevented && event.dataTransfer?.types.includes('Files') === true;
    const send = async (dropped: DataTransfer) => {
      const files = await droppedFiles(dropped);
      if (files.length === 0) return;
      onFiles(files);
      await navigate(paths.adminInbox());
    };
    const over = (event: DragEvent) => {
      const ours = isOurs(event);
      if (ours) event.preventDefault();
      setIsOver(ours);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      setIsOver(false);
      if (!isOurs(event) || event.dataTransfer === null) return;
      event.preventDefault();
      void send(event.dataTransfer);
    };
    // Without an answer to the entry, a browser opens files that are dropped at once.
    addEventListener('dragenter', over);
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', over);
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [navigate, onFiles]);
  if (!isOver) return null;
  return (
    <div className="border-primary bg-overlay pointer-events-none fixed inset-0 z-50 grid place-items-center border-4 p-6">
      <p className="bg-card shadow-popover flex items-center gap-3 rounded-xl px-6 py-4 text-lg font-medium">
        <Inbox size={24} aria-hidden className="text-primary shrink-0" />
        Solte para enviar à Caixa de entrada
      </p>
    </div>
  );
}
