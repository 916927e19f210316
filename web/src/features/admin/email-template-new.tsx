import { emailSettingsQuery } from '~/data/email-settings';
import { createTemplate, templatesQuery } from '~/data/email-templates';
import { queryClient } from '~/lib/query';
import { paths } from '~/paths';
import { PageHeader } from '~/ui/page-header';

import { TemplateForm } from './template-form';
import { blankTemplate } from './template-schema';

export function loader() {
  void queryClient.prefetchQuery(emailSettingsQuery());
  void queryClient.prefetchQuery(templatesQuery());
  return null;
}

export function Component() {
  return (
    <>
      <PageHeader
        title="Novo Template de Email"
        back={{ to: paths.adminEmailTemplates(), label: 'Templates de Email' }}
      />
      <TemplateForm mode="new" initial={blankTemplate} save={createTemplate} />
    </>
  );
}
