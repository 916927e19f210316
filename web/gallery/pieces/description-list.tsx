import { Card } from '~/ui/card';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';

import { Example, LONG_NAME, LONG_WORD } from '../example';

export function Examples() {
  return (
    <Example title="Short and long values">
      <Card>
        <DescriptionList>
          <DescriptionItem term="CNPJ">11.222.333/0001-81</DescriptionItem>
          <DescriptionItem term="Razão social">{LONG_NAME}</DescriptionItem>
          <DescriptionItem term="Arquivo">{LONG_WORD}</DescriptionItem>
        </DescriptionList>
      </Card>
    </Example>
  );
}
