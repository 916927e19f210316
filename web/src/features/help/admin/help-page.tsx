// Contents of the guide for the staff.
import guide from 'virtual:guide/staff';

import { GuideIndex } from '~/features/help/components/guide-index';
import { paths } from '~/paths';

export { AdminHelpPage as Component };

function AdminHelpPage() {
  return <GuideIndex guide={guide} pathOf={paths.adminGuidePage} />;
}
