import { FileIcon } from '~/ui/file-icon';

import { Example, Row } from '../example';

export function Examples() {
  return (
    <Example title="Kinds">
      <Row>
        {['pdf', 'docx', 'xlsx', 'png', 'csv', 'zip'].map((type) => (
          <span key={type} className="flex items-center gap-2">
            <FileIcon type={type} />
            {type}
          </span>
        ))}
      </Row>
    </Example>
  );
}
