// A file that a client sent, shown in a dialog.
import { fileQuery } from '~/features/documents/api/files';
import { DocumentViewer } from '~/features/documents/viewer/document-viewer';
import { LargePicture } from '~/features/documents/viewer/large-picture';
import { getExtension } from '~/lib/files/file-name';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';

const BUCKET = 'received-files';
/** Pictures that the server scales down. */
const PICTURE = /^(?:png|jpe?g|webp|hei[cf])$/;

type ReceivedFileDialogProps = {
  name: string;
  path: string;
  isFetching: boolean;
  onDownload: () => void;
  onClose: () => void;
};

export function ReceivedFileDialog({ name, path, isFetching, onDownload, onClose }: ReceivedFileDialogProps) {
  const download = (
    <Button variant="secondary" pending={isFetching} onClick={onDownload}>
      Baixar
    </Button>
  );
  const type = getExtension(name);
  const isPicture = PICTURE.test(type);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={name}
      className="sm:max-w-4xl!"
      footer={isPicture && download}
    >
      {isPicture ? (
        <LargePicture bucket={BUCKET} path={path} name={name} />
      ) : (
        <DocumentViewer
          type={type}
          path={path}
          name={name}
          read={(file) => fileQuery(file, BUCKET)}
          actions={download}
        />
      )}
    </Dialog>
  );
}
