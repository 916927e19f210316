// Swagger UI, which contains a React of its own and renders into an element of its own.
import { useEffect, useRef } from 'react';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';

import 'swagger-ui-dist/swagger-ui.css';
import './swagger-viewer.css';

import type { OpenApiDocument } from '~/features/api-docs/api';

const Hidden = () => null;
/** Hides the controls for requests. */
const withoutRequests = {
  wrapComponents: {
    authorizeBtn: () => Hidden,
    authorizeOperationBtn: () => Hidden,
    ServersContainer: () => Hidden,
  },
};

/**
 * Shows a document. The viewer sends no requests: it has no validator, and it cannot try operations, because it would
 * need the access token.
 */
export function SwaggerViewer({ document: spec }: { document: OpenApiDocument }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const domNode = document.createElement('div');
    container.current?.append(domNode);
    SwaggerUI({
      domNode,
      spec,
      validatorUrl: null,
      supportedSubmitMethods: [],
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      plugins: [withoutRequests],
    });
    return () => domNode.remove();
  }, [spec]);
  // Swagger UI has no dark theme that follows the portal's.
  return <div ref={container} className="rounded bg-white text-black scheme-light" />;
}
