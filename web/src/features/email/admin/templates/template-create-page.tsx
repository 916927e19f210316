// Page that creates an e-mail template.
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { emailSettingsQuery } from '~/features/email/api/settings';
import { createTemplate, templatesQuery } from '~/features/email/api/templates';
import { queryClient } from '~/lib/api/query-client';
import { randomUuid } from '~/lib/uuid';
import { paths } from '~/paths';

import { TemplateForm } from './template-form';
import { blankTemplate } from './template-schema';

export function loader() {
  void queryClient.prefetchQuery(emailSettingsQuery());
  void queryClient.prefetchQuery(templatesQuery());
  return null;
}

export { TemplateCreatePage as Component };

function TemplateCreatePage() {
  const [id] = useState(randomUuid);
  return (
    <>
      <PageHeader
        title="Novo Template de Email"
        back={{ to: paths.adminEmailTemplates(), label: 'Templates de Email' }}
      />
      <TemplateForm
        mode="new"
        initial={blankTemplate}
        version={null}
        save={async (template) => {
          await createTemplate(id, template);
          return null;
        }}
      />
    </>
  );
}
