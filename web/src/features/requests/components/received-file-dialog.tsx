// A file that a client sent, shown in a dialog.
import { fileQuery } from '~/features/documents/api/files';
import { DocumentViewer } from '~/features/documents/viewer/document-viewer';
import { LargePicture } from '~/features/documents/viewer/large-picture';
import { getExtension, isPicture } from '~/lib/files/file-name';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';

const BUCKET = 'received-files';

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
  const picture = isPicture(name);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={name}
      className="sm:max-w-4xl!"
      footer={picture && download}
    >
      {picture ? (
        <LargePicture bucket={BUCKET} path={path} name={name} />
      ) : (
        <DocumentViewer
          type={getExtension(name)}
          path={path}
          name={name}
          read={(file) => fileQuery(file, BUCKET)}
          actions={download}
        />
      )}
    </Dialog>
  );
}
