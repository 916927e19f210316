// Page that edits an e-mail template.
import { useQuery } from '@tanstack/react-query';
import { type LoaderFunctionArgs, Navigate, useParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { emailSettingsQuery } from '~/features/email/api/settings';
import { templateQuery, templatesQuery, updateTemplate } from '~/features/email/api/templates';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

import { TemplateForm } from './template-form';
import { toTemplateValues } from './template-schema';

export function loader({ params: { templateId = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(templateQuery(templateId));
  void queryClient.prefetchQuery(emailSettingsQuery());
  void queryClient.prefetchQuery(templatesQuery());
  return null;
}

export { TemplateEditPage as Component };

function TemplateEditPage() {
  const { templateId = '' } = useParams();
  const template = useQuery(templateQuery(templateId));
  // A toast shows the error.
  if (template.isLoadingError) return <Navigate to={paths.adminEmailTemplates()} replace />;
  return (
    <>
      <PageHeader
        title="Editar Template de Email"
        back={{ to: paths.adminEmailTemplates(), label: 'Templates de Email' }}
      />
      {template.data ? (
        <TemplateForm
          key={template.data.id}
          mode="edit"
          initial={toTemplateValues(template.data)}
          version={template.data}
          save={(values, seen) => updateTemplate(values, { seen, toValues: toTemplateValues })}
        />
      ) : (
        <SkeletonList rows={4} rowClassName="h-28" />
      )}
    </>
  );
}
