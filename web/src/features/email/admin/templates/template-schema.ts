// Validation schema of the e-mail template form.
import * as z from 'zod/mini';

import type { EmailTemplate } from '~/features/email/api/templates';

export type TemplateValues = {
  name: string;
  description: string;
  subject: string;
  event_trigger: string;
  html_content: string;
};

export const blankTemplate: TemplateValues = {
  name: '',
  description: '',
  subject: '',
  event_trigger: '',
  html_content: '',
};

/** The values with which the form shows a template. */
export const toTemplateValues = ({
  name,
  description,
  subject,
  event_trigger,
  html_content,
}: EmailTemplate): TemplateValues => ({
  name,
  description: description ?? '',
  subject,
  event_trigger,
  html_content,
});

const required = (message: string) => z.string().check(z.refine((text) => text.trim() !== '', message));

/** Required fields are checked after trimming. The HTML itself is not trimmed. */
export const templateSchema = z.object({
  name: required('Nome do template é obrigatório.'),
  description: z.string(),
  subject: required('Assunto do email é obrigatório.'),
  event_trigger: required('Gatilho do evento é obrigatório.'),
  html_content: required('Conteúdo HTML é obrigatório.'),
});
