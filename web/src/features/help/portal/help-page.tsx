// Contents of the guide for the clients.
import guide from 'virtual:guide/clients';

import { GuideIndex } from '~/features/help/components/guide-index';
import { paths } from '~/paths';

export { PortalHelpPage as Component };

function PortalHelpPage() {
  return <GuideIndex guide={guide} pathOf={paths.guidePage} />;
}
