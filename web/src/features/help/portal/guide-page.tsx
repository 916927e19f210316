// A page of the guide for the clients.
import { type LoaderFunctionArgs, useLoaderData, useParams } from 'react-router';
import guide from 'virtual:guide/clients';

import { GuideArticle } from '~/features/help/components/guide-article';
import { findPage } from '~/features/help/guide';
import { paths } from '~/paths';

export async function loader({ params: { slug = '' } }: LoaderFunctionArgs) {
  const loaded = await findPage(guide, slug).page?.load();
  return loaded?.default ?? null;
}

export { PortalGuidePage as Component };

function PortalGuidePage() {
  const { slug = '' } = useParams();
  const blocks = useLoaderData<typeof loader>();
  return (
    <GuideArticle guide={guide} slug={slug} blocks={blocks} home={paths.help()} pathOf={paths.guidePage} />
  );
}
