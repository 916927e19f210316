// Global constants that the build defines.
/** The base URL of the character maps, fonts and decoders of pdf.js; set by `vite.config.ts`. */
declare const PDFJS_FILES: string;

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export default function SwaggerUI(options: {
    domNode: HTMLElement;
    spec: object;
    validatorUrl: null;
    supportedSubmitMethods: string[];
    docExpansion: 'list';
    defaultModelsExpandDepth: number;
    plugins: object[];
  }): void;
}

// The pages of the guide for an audience; rendered by `scripts/guide.ts`.
declare module 'virtual:guide/clients' {
  import type { GuideGroup } from '~/features/help/guide';

  const groups: GuideGroup[];
  export default groups;
}

declare module 'virtual:guide/staff' {
  import type { GuideGroup } from '~/features/help/guide';

  const groups: GuideGroup[];
  export default groups;
}
