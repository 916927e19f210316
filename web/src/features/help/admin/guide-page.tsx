// A page of the guide for the staff.
import { type LoaderFunctionArgs, useLoaderData, useParams } from 'react-router';
import guide from 'virtual:guide/staff';

import { GuideArticle } from '~/features/help/components/guide-article';
import { findPage } from '~/features/help/guide';
import { paths } from '~/paths';

export async function loader({ params: { slug = '' } }: LoaderFunctionArgs) {
  const loaded = await findPage(guide, slug).page?.load();
  return loaded?.default ?? null;
}

export { AdminGuidePage as Component };

function AdminGuidePage() {
  const { slug = '' } = useParams();
  const blocks = useLoaderData<typeof loader>();
  return (
    <GuideArticle
      guide={guide}
      slug={slug}
      blocks={blocks}
      home={paths.adminHelp()}
      pathOf={paths.adminGuidePage}
    />
  );
}
