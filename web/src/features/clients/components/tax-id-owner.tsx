// Warning below the tax id of a form: another client has the same.
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';

import { TextLink } from '~/components/text-link';
import { clientKeys, findClientsByTaxId } from '~/features/clients/api/clients';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { parseTaxId, type TaxId } from '~/lib/tax-id';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';

type TaxIdOwnerProps = {
  /** The tax id as typed. */
  text: string;
  /** The e-mail address of the client that the form edits. */
  ownEmail: string;
};

export function TaxIdOwner({ text, ownEmail }: TaxIdOwnerProps) {
  const found = useQuery(taxIdQuery(parseTaxId(useDebouncedValue(text))));
  const other = found.data?.find(({ email }) => email !== ownEmail);
  if (!other) return null;
  return (
    <Alert variant="info">
      Este CPF ou CNPJ já é de{' '}
      <TextLink to={paths.adminClient(other.id)} className="font-medium wrap-anywhere">
        {other.fullName ?? other.email}
      </TextLink>
      .
    </Alert>
  );
}

function taxIdQuery(taxId: TaxId | null) {
  return queryOptions({
    queryKey: [...clientKeys.all, 'tax-id', taxId],
    queryFn: taxId === null ? skipToken : () => findClientsByTaxId([taxId]),
  });
}
