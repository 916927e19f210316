// Warnings about unknown and unavailable variables of a template.
import { TriangleAlert } from 'lucide-react';

import type { TemplateWarnings } from '~/features/email/template-variables';

type TemplateFindingsProps = { warnings: TemplateWarnings; heavyPicture?: boolean };

export function TemplateWarnings({
  warnings: { unknown, unavailable },
  heavyPicture = false,
}: TemplateFindingsProps) {
  const lines = [
    unknown.length > 0 &&
      `Não existem: ${unknown.map(braced).join(', ')}. O template não pode ser salvo assim.`,
    unavailable.length > 0 &&
      `Sem valor neste gatilho: ${unavailable.map(braced).join(', ')}. No e-mail ficam em branco.`,
    heavyPicture && 'Uma imagem dentro do conteúdo é grande demais. O template não pode ser salvo assim.',
  ].filter((line) => line !== false);
  return (
    <span role="status" className="flex flex-col gap-1">
      {lines.map((line) => (
        <span key={line} className="text-warning flex items-start gap-1.5 wrap-anywhere">
          <TriangleAlert size={16} aria-hidden className="mt-0.5" />
          {line}
        </span>
      ))}
    </span>
  );
}

function braced(name: string): string {
  return name.startsWith('{{') ? name : `{{${name}}}`;
}
