import { TextLink } from '~/components/text-link';
import type { Client } from '~/features/clients/api/clients';
import { paths } from '~/paths';

/** A link to a client in a table. */
export function ClientName({ client }: { client: Client | null }) {
  if (client === null) return 'N/A';
  const name = client.fullName ?? client.email;
  return (
    <TextLink to={paths.adminClient(client.id)} title={name} className="block min-w-0 @4xl:truncate">
      {name}
    </TextLink>
  );
}
